/** Makes `npx troupe` work in a checkout: npm links the programs of dependencies, and not those of the package itself. */
import { existsSync, rmSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const programs = fileURLToPath(new URL('../node_modules/.bin', import.meta.url))
const link = `${programs}/troupe`

// npm makes shims of another kind there
if (existsSync(programs) && process.platform !== 'win32') {
  rmSync(link, { force: true })
  symlinkSync('../../cli/bin.js', link)
}
