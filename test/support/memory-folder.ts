/**
 * Loaded before the tests: temporary folders lie in one of this process's own, which goes with it; what a process that was
 * killed has left is removed by the next one. It lies in memory where the machine has a file system there with room.
 * Stores stay real files; it is only that no commit waits for the disk, which is none of what these tests are about.
 */
import { afterAll, beforeAll } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
const roomMin = 4 * 1024 ** 3

function room(): number {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize
  } catch {
    return 0
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // it is somebody else's
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })

/** What a test process has left that was killed: a small disk that it had mounted goes first. */
function removeLeft(folder: string): void {
  const mounts = existsSync('/proc/mounts') ? readFileSync('/proc/mounts', 'utf8').split('\n') : []
  for (const place of mounts.map((line) => line.split(' ')[1] ?? ''))
    if (place.startsWith(`${folder}/`)) Bun.spawnSync(['umount', place])
  try {
    remove(folder)
  } catch {
    // it is somebody else's, and goes with the machine
  }
}

const base = room() >= roomMin ? memory : tmpdir()
for (const name of readdirSync(base)) {
  const [, pid] = /^troupe-tests-(\d+)-/.exec(name) ?? []
  if (pid !== undefined && !isAlive(Number(pid))) removeLeft(join(base, name))
}
// short: the paths of sockets in it are bounded
const folder = join(base, `troupe-tests-${process.pid}-${crypto.randomUUID().slice(0, 8)}`)
process.env.TMPDIR = folder
// in a worker these are around each file
beforeAll(() => void mkdirSync(folder, { recursive: true, mode: 0o711 }))
afterAll(() => remove(folder))
