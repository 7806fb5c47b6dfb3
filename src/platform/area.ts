/** An area of the API: its operations, and what comes with them. `src/areas.ts` lists all areas. */
import type { AnyElysia } from 'elysia'
import type { MaintenanceTask } from './operating/housekeeping.ts'

/** Each function names the parts that it is built from; the server has them all (`src/server/area-parts.ts`). */
export interface Area<Parts = never> {
  /** The plugin with the operations. The console's client is typed by what it returns. */
  readonly routes: (parts: Parts) => AnyElysia
  /** What is done for the area in the background: mostly the removal of what has had its time. */
  readonly maintenance?: (parts: Parts) => readonly MaintenanceTask[]
  /** Registers what operators see of the area under `/metrics`. */
  readonly metrics?: (parts: Parts) => void
}
