/** The migration that counts states: an existing store gets its counts, and they follow inserts, moves and deletes. */
import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { deliveryStates } from '../../../machines/delivery.ts'
import { invocationStates } from '../../../machines/operation-invocation.ts'
import { runStates } from '../../../machines/run/states.ts'
import { migrate } from '../../../storage/migrations.ts'
import { openSqlite } from '../../../storage/sqlite/store.ts'
import { stateCounts } from '../../../storage/state-counts.ts'

const name = '0035-lists-and-counts'
const folder = new URL('../../../storage/migrations/', import.meta.url).pathname

test.each([
  { table: 'runs', first: 'queued', next: 'completed', states: runStates },
  { table: 'deliveries', first: 'in-flight', next: 'dead-letter', states: deliveryStates },
  { table: 'operation_invocations', first: 'running', next: 'failed', states: invocationStates },
] as const)(
  '$table of an existing store are counted, and later inserts, moves and deletes',
  async ({ table, first, next, states }) => {
    const store = openSqlite({ path: ':memory:' })
    const earlier: Record<string, Migration> = {}
    for (const file of [...new Bun.Glob('*.ts').scanSync(folder)].map((file) => file.replace('.ts', '')).sort()) {
      if (file < name) earlier[file] = await import(`${folder}${file}.ts`)
    }
    await migrate(store, earlier)
    const run = async (text: string) => (await sql.raw<{ name: string; type: string }>(text).execute(store.db)).rows
    const needed = await run(`select name, type from pragma_table_info('${table}') where "notnull" = 1 or name = 'id'`)
    const insert = (id: string, state: string) => {
      const given: Record<string, string> = { id: `'${id}'`, state: `'${state}'` }
      const values = needed.map((column) => given[column.name] ?? (column.type === 'TEXT' ? "'x'" : '1'))
      return run(`insert into ${table} (${needed.map((column) => column.name)}) values (${values})`)
    }
    const counts = async () =>
      Object.fromEntries([...(await stateCounts(store, table))].filter(([, count]) => count !== 0))

    await run('pragma foreign_keys = off')
    for (const id of ['1', '2', '3']) await insert(id, first)
    await insert('4', next)
    await migrate(store, { ...earlier, [name]: await import(`${folder}${name}.ts`) })
    await run('pragma foreign_keys = off')
    expect(await counts()).toEqual({ [first]: 3, [next]: 1 })

    await insert('5', first)
    await run(`update ${table} set state = '${next}' where id in ('1', '2')`)
    await run(`update ${table} set state = state, updated_at = 7`)
    expect(await counts()).toEqual({ [first]: 2, [next]: 3 })

    await run(`delete from ${table} where id in ('1', '5')`)
    expect(await counts()).toEqual({ [first]: 1, [next]: 2 })
    await run(`delete from ${table}`)
    expect(await counts()).toEqual({})
    expect([...(await stateCounts(store, table)).keys()].sort()).toEqual(states.toSorted())
    await store.close()
  },
)
