/**
 * A process that dies during an upgrade, right after one of its migrations. Arguments: path, number of migrations
 * before.
 */
import { migrate, migrations } from '../../storage/migrations.ts'
import { openSqlite } from '../../storage/sqlite/store.ts'

const [, , path = '', before = ''] = process.argv
const store = openSqlite({ path })
const done = await store.all<{ name: string }>({ sql: 'select name from kysely_migration', parameters: [] })
const outstanding = Object.keys(migrations).filter((each) => !done.some(({ name }) => name === each))
const last = outstanding.at(Number(before)) ?? ''
const { up } = migrations[last]!
const deadly = {
  async up(db: Parameters<typeof up>[0]) {
    await up(db)
    process.kill(process.pid, 'SIGKILL')
    // The signal is pending.
    await new Promise(() => {})
  },
}
await migrate(store, { ...migrations, [last]: deadly })
