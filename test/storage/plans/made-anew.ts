/** Calls of the functions that build a statement per call, because its text depends on their arguments. */
import { Kysely, type QueryResult } from 'kysely'
import { bounds, withinBound } from '../../../storage/bounds.ts'
import { listCheckpointsById } from '../../../storage/runs/checkpoints.ts'
import { type RunWalk, runListQueries, runWalks } from '../../../storage/runs/run-lists.ts'
import { listStepsById } from '../../../storage/runs/steps.ts'
import type { Store } from '../../../storage/store.ts'
import type { Tables } from '../../../storage/tables.ts'
import { listProjectsAmong } from '../../../storage/tenancy/projects.ts'

/** Triggers the statements that are declared lazily, and returns the calls that build a statement each time. */
export async function callsMadeAnew(
  store: Store,
  label: (name: string, declare: () => unknown) => void,
): Promise<{ place: string; sql: string }[]> {
  for (const walk of Object.keys(runWalks) as RunWalk[]) {
    for (const order of ['asc', 'desc'] as const) {
      for (const resumed of [false, true]) {
        const name = `${walk} ${order}${resumed ? ' resumed' : ''}`
        label(name, () => runListQueries({ walk, order, resumed, beside: [] }))
      }
    }
  }
  const made: { place: string; sql: string }[] = []
  for (const name of Object.keys(bounds) as (keyof typeof bounds)[]) {
    made.push({ place: `bounds ${name}`, sql: withinBound(store, name, 'o', 'p').sql })
  }
  for (const named of [null, 'x']) {
    const values = { organizationId: 'o', before: '~', limit: 2, named }
    made.push({ place: 'projects listProjectsAmong', sql: listProjectsAmong(store, ['a', 'b'], values).sql })
  }
  const executed: Record<string, (store: Store) => Promise<unknown>> = {
    'checkpoints listCheckpointsById': (given) => listCheckpointsById(given, 'r', [1, 2]),
    'steps listStepsById': (given) => listStepsById(given, 'r', [1, 2]),
  }
  for (const [place, execute] of Object.entries(executed)) {
    const db = new Kysely<Tables>({
      dialect: {
        createAdapter: () => store.db.getExecutor().adapter,
        createDriver: () => ({
          init: async () => {},
          acquireConnection: async () => ({
            executeQuery: async <Row>({ sql }: { sql: string }): Promise<QueryResult<Row>> => {
              made.push({ place, sql })
              return { rows: [] }
            },
            async *streamQuery() {},
          }),
          beginTransaction: async () => {},
          commitTransaction: async () => {},
          rollbackTransaction: async () => {},
          releaseConnection: async () => {},
          destroy: async () => {},
        }),
        createIntrospector: () => store.db.introspection,
        createQueryCompiler: () => ({ compileQuery: store.db.getExecutor().compileQuery.bind(store.db.getExecutor()) }),
      },
    })
    await execute({ ...store, db })
  }
  return made
}
