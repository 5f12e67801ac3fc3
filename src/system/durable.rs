//! Makes what was written survive a power failure.

use std::fs::File;
use std::io;

/// Flushes a file or a directory to the disk. On macOS the drive's own cache is flushed too; a file system that does
/// not know that call (SMB, exFAT) is asked for what it can do.
///
/// # Errors
/// What the operating system says; nothing is known of the durability then.
pub fn sync(file: &File) -> io::Result<()> {
    let synced = file.sync_all();
    #[cfg(target_vendor = "apple")]
    if let Err(error) = &synced {
        use rustix::io::Errno;
        let unsupported = [Errno::NOTSUP, Errno::OPNOTSUPP, Errno::INVAL, Errno::NOTTY, Errno::NOSYS];
        if unsupported.iter().any(|errno| error.raw_os_error() == Some(errno.raw_os_error())) {
            return Ok(rustix::fs::fsync(file)?);
        }
    }
    synced
}
