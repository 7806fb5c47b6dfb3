/** An empty project with the package, made by `npm pack` and installed by `npm install` without a network. */
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export const root = resolve(import.meta.dir, '../../..')

/** The result of a program. */
interface Ended {
  code: number
  output: string
}

export interface Project {
  folder: string
  /** The files of the package, by path. */
  files: string[]
  /** The packed package. */
  packaged: string
  write(name: string, text: string): Promise<void>
  /** Makes a package of this checkout importable there. */
  borrow(name: string): Promise<void>
  run(command: string[], environment?: Record<string, string>): Promise<Ended>
  remove(): Promise<void>
}

async function run(command: string[], cwd: string, environment: Record<string, string> = {}): Promise<Ended> {
  const { PATH = '' } = process.env
  // a separate home: no settings or caches of the person who runs the tests
  const env = { PATH, HOME: cwd, npm_config_offline: 'true', npm_config_update_notifier: 'false', ...environment }
  const child = Bun.spawn(command, { cwd, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [output, errors, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { code, output: output + errors }
}

async function succeed(command: string[], cwd: string): Promise<void> {
  const { code, output } = await run(command, cwd)
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${output}`)
}

/** Packs and installs the package. */
export async function openProject(): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-sdk-'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }))
  await succeed(['npm', 'pack', join(root, 'sdk'), '--pack-destination', folder], folder)
  const [tarball = ''] = (await readdir(folder)).filter((name) => name.endsWith('.tgz'))
  await succeed(['npm', 'install', '--no-audit', '--no-fund', `./${tarball}`], folder)
  const packaged = join(folder, 'node_modules/@troupe/sdk')
  const entries = await readdir(packaged, { recursive: true, withFileTypes: true })
  return {
    folder,
    packaged,
    files: entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(packaged.length + 1)),
    write: (name, text) => writeFile(join(folder, name), text),
    borrow: (name) => symlink(join(root, 'node_modules', name), join(folder, 'node_modules', name)),
    run: (command, environment) => run(command, folder, environment),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
