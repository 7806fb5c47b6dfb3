/**
 * Loaded before the tests: temporary folders lie in memory where the machine has a file system there with room. Stores stay
 * real files; it is only that no commit waits for the disk, which is none of what these tests are about.
 */
import { statfsSync } from 'node:fs'

const folder = '/dev/shm'
const roomMin = 4 * 1024 ** 3

function room(): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return 0
  }
}

if (room() >= roomMin) process.env.TMPDIR = folder
