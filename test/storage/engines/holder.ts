/**
 * A process that holds a store's file. Arguments: `server` or `writer`, path. Prints `ready`, and exits when its input
 * ends.
 */
import { Database } from 'bun:sqlite'
import { openSqlite } from '../../../storage/sqlite/store.ts'

const [role, path = ''] = process.argv.slice(2)
// Keep a reference, so that the garbage collector does not close the connection.
const held = role === 'server' ? openSqlite({ path }) : new Database(path)
if (held instanceof Database) held.run('begin immediate')
process.stdout.write('ready\n')
await new Response(Bun.stdin.stream()).text()
await held.close()
