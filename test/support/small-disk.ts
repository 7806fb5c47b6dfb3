/** A small disk, where this process may make one: a file system in memory. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallDisk {
  folder: string
  /** Takes all that is left. */
  fill(): void
  /** Gives it back. */
  clear(): Promise<void>
  remove(): Promise<void>
}

/** Undefined where none may be mounted. Throws in CI there. */
export async function smallDisk(megabytes: number): Promise<SmallDisk | undefined> {
  const disk = await mounted(megabytes)
  if (!disk && process.env.CI) throw new Error('Without a file system of its own the full disk cannot be tested.')
  return disk
}

async function mounted(megabytes: number): Promise<SmallDisk | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined
  // a file that is being loaded: the folder of the tests may not be there yet
  await mkdir(tmpdir(), { recursive: true, mode: 0o711 })
  const folder = await mkdtemp(join(tmpdir(), 'troupe-disk-'))
  const { exitCode } = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', `size=${megabytes}m`, 'troupe-test', folder])
  if (exitCode !== 0) {
    await rm(folder, { recursive: true })
    return undefined
  }
  const filler = join(folder, 'filler')
  return {
    folder,
    fill: () => void Bun.spawnSync(['dd', 'if=/dev/zero', `of=${filler}`, 'bs=4096'], { stderr: 'ignore' }),
    clear: () => rm(filler),
    async remove() {
      Bun.spawnSync(['umount', '-l', folder])
      await rm(folder, { recursive: true, force: true })
    },
  }
}
