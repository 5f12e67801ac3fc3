//! Packs directories of a project into a gzipped tar archive in memory.

use std::io::{self, Write};

use flate2::{Compression, GzBuilder};
use tar::{Builder, EntryType, Header};

use crate::skill::Tree;
use crate::system::os::files;
use crate::system::rooted::{Kind, Metadata, Rooted};
use crate::transaction::Roots;

use super::archive::MAX_RATIO;

/// The archive's bytes. File contents come from the trees; modes, owners, times and empty directories from the disk.
pub(super) fn pack(roots: &Roots, copies: &[(String, &Tree)]) -> io::Result<Vec<u8>> {
    let mut tar = Builder::new(Vec::new());
    for (at, tree) in copies {
        let top = roots.at(at)?;
        let real = top.root().plain(top.real()?);
        directories(&mut tar, &real, at)?;
        for (path, blob) in tree.iter() {
            let inside = format!("{at}/{path}");
            let mut header = header(&real.join(path).entry()?);
            header.set_entry_type(EntryType::Regular);
            header.set_size(blob.bytes.len() as u64);
            tar.append_data(&mut header, &inside, blob.bytes.as_slice())?;
        }
    }
    let plain = tar.into_inner()?;
    let packed = compress(&plain, Compression::default())?;
    // An archive that unpacks to far more than its own size would be refused when it is read.
    if plain.len() as u64 / MAX_RATIO.max(1) >= packed.len() as u64 {
        return compress(&plain, Compression::none());
    }
    Ok(packed)
}

/// Every directory from `at` down, outermost first.
fn directories(tar: &mut Builder<Vec<u8>>, dir: &Rooted, at: &str) -> io::Result<()> {
    let mut header = header(&dir.entry()?);
    header.set_entry_type(EntryType::Directory);
    header.set_size(0);
    tar.append_data(&mut header, format!("{at}/"), io::empty())?;
    let mut entries = dir.list()?;
    entries.sort();
    for (name, kind) in entries {
        if kind == Kind::Dir {
            let name = name.to_str().ok_or_else(|| io::Error::other("a directory's name is not UTF-8"))?;
            directories(tar, &dir.join(name), &format!("{at}/{name}"))?;
        }
    }
    Ok(())
}

fn header(meta: &Metadata) -> Header {
    let mut header = Header::new_gnu();
    let (user, group, changed) = files::owned(meta);
    header.set_mode(files::mode(meta) & 0o777);
    header.set_uid(user);
    header.set_gid(group);
    header.set_mtime(changed);
    header
}

pub(in crate::transaction) fn compress(plain: &[u8], how: Compression) -> io::Result<Vec<u8>> {
    let mut gzip = GzBuilder::new().mtime(0).write(Vec::new(), how);
    gzip.write_all(plain)?;
    gzip.finish()
}
