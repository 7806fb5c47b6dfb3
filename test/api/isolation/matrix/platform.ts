/** The operations of the wing `platform`. */
import { everybody, type Row } from './rows.ts'

export const platform: Record<string, Row> = {
  // operations without a credential of an organization; their authorization is tested in their own areas
  getHealth: everybody,
  getReadiness: everybody,
  getMetrics: everybody,
  getApiDocument: everybody,
  listMachines: everybody,
  getMachine: everybody,
  getMachinePopulation: { level: 'tallied', path: () => ({ kind: 'run' }) },
  listActors: { level: 'tallied', query: () => ({ kind: 'run' }) },
  simulateMachine: everybody,
  getEmbeddedActorMachine: everybody,
  streamEmbeddedActor: everybody,
}
