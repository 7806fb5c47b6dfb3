#!/usr/bin/env node
/**
 * Starts the command line on Bun, which the package brings: the program that people and `npx` start, and that runs on
 * Node.js and Bun alike. On Bun it is the command line itself.
 */
import { spawn } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const main = fileURLToPath(new URL('./main.ts', import.meta.url))

/** What npm puts in place of a program whose install script did not run is a small text. */
const isProgram = (file) => existsSync(file) && statSync(file).size > 1_000_000

/** Programs that may be Bun: of the package, of the platform's own package, of the path. */
function candidates() {
  const require = createRequire(import.meta.url)
  const folder = (name) => {
    try {
      return dirname(require.resolve(`${name}/package.json`))
    } catch {
      return undefined
    }
  }
  const { platform, arch } = process
  const names = [platform, platform === 'win32' ? 'windows' : platform]
  const cpus = [arch === 'arm64' ? 'aarch64' : arch, `${arch}-baseline`, `${arch}-musl`, `${arch}-musl-baseline`]
  const own = names.flatMap((name) => cpus.map((cpu) => folder(`@oven/bun-${name}-${cpu}`)))
  const packages = [folder('bun'), ...own].filter(Boolean)
  const inPackages = packages.flatMap((each) => ['bin/bun.exe', 'bin/bun'].map((file) => join(each, file)))
  const inPath = (process.env.PATH ?? '').split(delimiter).map((each) => join(each, 'bun'))
  return [...inPackages, ...inPath]
}

if (process.versions.bun) await import(main)
else {
  const bun = candidates().find(isProgram)
  if (!bun) {
    process.stderr.write(
      'troupe runs on Bun, which is not there: install the package with its scripts, or see https://bun.sh\n',
    )
    process.exit(1)
  }
  // a manifest or a worker of the user must not make Bun download packages
  const child = spawn(bun, ['--no-install', main, ...process.argv.slice(2)], { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // Ctrl-C reaches both by the terminal
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  child.on('exit', (code, signal) => process.exit(code ?? 128 + (constants.signals[signal] ?? 0)))
}
