#!/usr/bin/env node
// Starts the hefesto of this platform, which npm installed as an optional package.
'use strict';

const { spawn } = require('node:child_process');
const { constants } = require('node:os');

const { name, optionalDependencies } = require('../package.json');
const platform = `${name}-${process.platform}-${process.arch}`;

function program() {
  try {
    return require.resolve(`${platform}/bin/hefesto${process.platform === 'win32' ? '.exe' : ''}`);
  } catch {
    const known = Object.keys(optionalDependencies).map((other) => other.slice(name.length + 1));
    const why = platform in optionalDependencies
      ? `the package ${platform} is not installed: install again, without leaving optional packages out`
      : `there is no program for ${process.platform}-${process.arch}, only for ${known.join(', ')}`;
    process.stderr.write(`hefesto: ${why}\n`);
    process.exit(1);
  }
}

const child = spawn(program(), process.argv.slice(2), { stdio: 'inherit' });
// A terminal signals both processes; the program decides what a signal does, and this one waits for it.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('error', (error) => {
  process.stderr.write(`hefesto: ${error.message}\n`);
  process.exit(1);
});
child.on('exit', (code, signal) => process.exit(signal ? 128 + constants.signals[signal] : code));
