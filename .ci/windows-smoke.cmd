@echo off
rem Uses a Windows program as a person would: create, edit, validate, status, an overwrite, undo.
rem usage: .ci\windows-smoke.cmd PATH\hefesto.exe
setlocal
set hefesto="%~f1"
set work=%TEMP%\hefesto-smoke-%RANDOM%
set USERPROFILE=%work%\home
set HOME=
set APPDATA=%work%\home\AppData\Roaming
set HEFESTO_HOME=
set VISUAL=
set EDITOR=%work%\editor.cmd
set skill=.claude\skills\validate-email-addresses\SKILL.md
mkdir "%work%\project"
mkdir "%APPDATA%"
>"%EDITOR%" echo @echo A line from the editor.^>^>%%1
cd /d "%work%\project"

call :run create "Validate email addresses using regex patterns" --target claude,gemini --init --yes
if errorlevel 1 goto failed
if not exist "%skill%" goto failed
call :run edit validate-email-addresses --yes
if errorlevel 1 goto failed
find "A line from the editor." "%skill%" >nul
if errorlevel 1 goto failed
call :run validate
if errorlevel 1 goto failed
call :run status --check
if errorlevel 1 goto failed
call :run create "Validate email addresses of customers" --name validate-email-addresses --target claude,gemini --on-collision overwrite --yes
if errorlevel 1 goto failed
find "A line from the editor." "%skill%" >nul
if not errorlevel 1 goto failed
if not exist .hefesto\backups\*.tar.gz goto failed
call :run undo --yes
if errorlevel 1 goto failed
find "A line from the editor." "%skill%" >nul
if errorlevel 1 goto failed
call :run status --check
if errorlevel 1 goto failed
rem Paths are kept and answered with / between their parts.
call :run --json list
if errorlevel 1 goto failed
find ":\" "%work%\said" >nul
if not errorlevel 1 goto failed
find "claude\" MEMORY.md >nul
if not errorlevel 1 goto failed
echo smoke: passed
cd /d "%TEMP%"
rmdir /s /q "%work%"
exit /b 0

:run
echo smoke: hefesto %*
%hefesto% %* >"%work%\said" 2>&1
if not errorlevel 1 exit /b 0
type "%work%\said"
exit /b 1

:failed
echo smoke: failed in %work%
exit /b 1
