/** A small disk, if this process may mount one: a file system in memory. */
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface SmallDisk {
  folder: string
  /** Fills the remaining space. */
  fill(): void
  /** Frees the space again. */
  clear(): Promise<void>
  remove(): Promise<void>
}

/** Undefined if none may be mounted; throws in CI then. */
export async function smallDisk(megabytes: number): Promise<SmallDisk | undefined> {
  const disk = await mounted(megabytes)
  if (!disk && process.env.CI) throw new Error('Without its own file system the full disk cannot be tested.')
  return disk
}

async function mounted(megabytes: number): Promise<SmallDisk | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined
  // while a file is loading, the folder of the tests may not exist yet
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
