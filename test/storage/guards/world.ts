/** A store whose rows are planted as other servers have left them, between what a request reads and what it commits. */
import { Database, type SQLQueryBindings } from 'bun:sqlite'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StaleWrite } from '../../../storage/errors.ts'
import { newId } from '../../../storage/ids.ts'
import type { Write } from '../../../storage/store.ts'
import { openMigrated } from '../../support/stores/migrated-store.ts'

// biome-ignore lint/suspicious/noExplicitAny: one helper handles rows of all tables
export type Row = any

/** The ids of an active organization, Project, Environment and Agent, as columns of the rows in them. */
export interface Tree {
  organization_id: string
  project_id: string
  environment_id: string
  agent_id: string
}

interface Column {
  name: string
  type: string
  notnull: number
  pk: number
}

export async function openGuards() {
  const folder = await mkdtemp(join(tmpdir(), 'troupe-guards-'))
  const file = join(folder, 'troupe.db')
  const store = await openMigrated(`sqlite:${file}`)
  const database = new Database(file)
  database.run('pragma busy_timeout = 5000')
  // rows without those to which they refer
  database.run('pragma foreign_keys = off')
  database.run('pragma ignore_check_constraints = on')
  let count = 0

  const world = {
    store,
    rows: (sql: string, ...values: SQLQueryBindings[]): Row[] => database.query(sql).all(...values),

    /** A row with these values, and placeholders in the other columns. */
    row(table: string, values: object = {}): Row {
      count += 1
      const columns = database.query<Column, []>(`pragma table_info(${table})`).all()
      const placeholder = ({ type, notnull, pk }: Column) => {
        if (!notnull && !pk) return null
        return type.toLowerCase() === 'text' ? `text-${count}` : count
      }
      const given = Object.fromEntries(
        Object.entries(values).filter(([key]) => columns.some(({ name }) => name === key)),
      )
      return { ...Object.fromEntries(columns.map((column) => [column.name, placeholder(column)])), ...given }
    },

    /** Stores such a row. */
    plant(table: string, values: object = {}): Row {
      const row = world.row(table, values)
      const names = Object.keys(row)
      const insert = `insert into ${table} (${names}) values (${names.map(() => '?')})`
      database.query(insert).run(...(Object.values(row) as SQLQueryBindings[]))
      return row
    },

    tree(): Tree {
      const ids = {
        organization_id: newId('org'),
        project_id: newId('prj'),
        environment_id: newId('env'),
        agent_id: newId('agt'),
      }
      const { organization_id, project_id, environment_id, agent_id } = ids
      const active = { ...ids, status: 'active' }
      world.plant('organizations', { ...active, id: organization_id, slug: organization_id, kind: 'team' })
      world.plant('projects', { ...active, id: project_id, slug: project_id })
      world.plant('environments', { ...ids, id: environment_id, state: 'active', kind: 'preview', context: '{}' })
      world.plant('agents', { ...active, id: agent_id, slug: agent_id })
      return ids
    },

    /** Whether the write is refused because of what is stored. */
    isStale: (write: Write): Promise<boolean> =>
      store.commit([write]).then(
        () => false,
        (error: unknown) => {
          if (error instanceof StaleWrite) return true
          throw error
        },
      ),

    async close() {
      database.close()
      await store.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
  return world
}

export type Guards = Awaited<ReturnType<typeof openGuards>>
