# Installs hefesto @VERSION@ on Windows: fetches the archive and the sums, compares them, and only then unpacks.
#
#   HEFESTO_BIN       where the program goes [default: %LOCALAPPDATA%\Programs\hefesto]
#   HEFESTO_RELEASES  where the archives are, an https:// or file:// address [default: @RELEASES@]
#   HEFESTO_SHA256    the sum the archive must have, instead of that in SHA256SUMS
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

function Get-Setting($Name, $Default) {
    $value = [Environment]::GetEnvironmentVariable($Name)
    if ($value) { $value } else { $Default }
}

$releases = Get-Setting 'HEFESTO_RELEASES' '@RELEASES@'
$bin = Get-Setting 'HEFESTO_BIN' (Join-Path $env:LOCALAPPDATA 'Programs\hefesto')
if ($releases -notmatch '^(https|file)://') {
    throw 'hefesto: HEFESTO_RELEASES has to say where the archives are, as an https:// or file:// address'
}
if (-not [Environment]::Is64BitOperatingSystem) {
    throw 'hefesto: there is only a program for 64-bit Windows'
}

$name = 'hefesto-@VERSION@-x86_64-pc-windows-gnu'
$work = Join-Path ([IO.Path]::GetTempPath()) ([IO.Path]::GetRandomFileName())
New-Item -ItemType Directory $work | Out-Null
try {
    function Get-Release($File) {
        $path = Join-Path $work $File
        # `Invoke-WebRequest` takes no file:// address.
        (New-Object Net.WebClient).DownloadFile("$releases/$File", $path)
        $path
    }

    [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
    $archive = Get-Release "$name.zip"
    $wanted = Get-Setting 'HEFESTO_SHA256' $null
    if (-not $wanted) {
        $lines = Get-Content (Get-Release 'SHA256SUMS') | Where-Object { $_ -match "^[0-9a-f]{64}  $([regex]::Escape("$name.zip"))$" }
        $wanted = "$lines".Split(' ')[0]
    }
    if ((Get-FileHash -Algorithm SHA256 $archive).Hash -ne $wanted) {
        throw "hefesto: $name.zip does not have the sum $wanted; nothing was installed"
    }
    Expand-Archive $archive $work
    New-Item -ItemType Directory -Force $bin | Out-Null
    $program = Join-Path $bin 'hefesto.exe'
    # A program that is running cannot be written over, but renamed.
    if (Test-Path $program) { Move-Item -Force $program "$program.old" }
    Copy-Item (Join-Path $work "$name\hefesto.exe") $program
    Remove-Item -Force -ErrorAction SilentlyContinue "$program.old"
    Write-Host "$(& $program --version) is in $bin"
    if (";$env:Path;" -notlike "*;$bin;*") { Write-Host "$bin is not on PATH" }
} finally {
    Remove-Item -Recurse -Force $work
}
