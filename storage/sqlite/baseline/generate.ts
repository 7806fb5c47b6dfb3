/** `bun storage/sqlite/baseline/generate.ts` writes `baseline.json` from a store in memory that has had all migrations. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { migrate, migrations } from '../../migrations.ts'
import { openSqlite } from '../store.ts'
import type { Baseline } from './baseline.ts'

const notes = 'kysely_migration'

/** The baseline that a store says which has had these migrations. */
async function baselineOf(names: readonly string[]): Promise<Baseline> {
  const store = openSqlite({ path: ':memory:' })
  try {
    await migrate(store, Object.fromEntries(names.map((name) => [name, migrations[name] as never])), null)
    const all = <Row>(sql: string) => store.all<Row>({ sql, parameters: [] })
    const schema = await all<{ type: string; name: string; sql: string }>(
      `select type, name, sql from sqlite_master where sql is not null and name not like 'sqlite_%'
        order by case type when 'table' then 0 when 'index' then 1 else 2 end, rowid`,
    )
    const made = schema.filter(({ type }) => type !== 'trigger').map(({ sql }) => sql)
    const triggers = schema.filter(({ type }) => type === 'trigger').map(({ sql }) => sql)
    const rows: string[] = []
    for (const { type, name } of schema) {
      if (type !== 'table' || name === notes) continue
      for (const row of await all<Record<string, unknown>>(`select * from "${name}"`)) rows.push(insertOf(name, row))
    }
    // rows before triggers, which would count them again
    return { migrations: names, statements: [...made, ...rows, ...triggers] }
  } finally {
    await store.close()
  }
}

/** What was written at the time of the migration is written at that of the start. */
const isTime = (column: string) => column.endsWith('_at')

function insertOf(table: string, row: Record<string, unknown>): string {
  const columns = Object.keys(row)
  const values = columns.map((column) => {
    const value = row[column]
    if (typeof value === 'number') return isTime(column) ? ':now' : String(value)
    return value === null ? 'null' : `'${String(value).replaceAll("'", "''")}'`
  })
  return `insert into "${table}" (${columns.join(', ')}) values (${values.join(', ')})`
}

if (import.meta.main) {
  const text = JSON.stringify(await baselineOf(Object.keys(migrations)), null, 2)
  writeFileSync(join(import.meta.dir, 'baseline.json'), `${text}\n`)
}
