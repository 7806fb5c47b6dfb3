/** A process that holds a store's file. Arguments: `server` or `writer`, path. Says `ready`, and ends with its input. */
import { Database } from 'bun:sqlite'
import { openSqlite } from '../../../storage/sqlite/store.ts'

const [role, path = ''] = process.argv.slice(2)
// Whoever is not held on to is closed by the garbage collector.
const held = role === 'server' ? openSqlite({ path }) : new Database(path)
if (held instanceof Database) held.run('begin immediate')
process.stdout.write('ready\n')
await new Response(Bun.stdin.stream()).text()
await held.close()
