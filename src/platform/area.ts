/** An area of the API. `src/areas.ts` lists all areas. */
import type { AnyElysia } from 'elysia'
import type { MaintenanceTask } from './operating/housekeeping.ts'

/** Each function declares the parts that it needs; the server has them all (`src/server/area-parts.ts`). */
export interface Area<Parts = never> {
  /** The plugin with the operations. The console's client takes its types from it. */
  readonly routes: (parts: Parts) => AnyElysia
  /** Background work of the area: mostly the removal of expired rows. */
  readonly maintenance?: (parts: Parts) => readonly MaintenanceTask[]
  /** Registers the area's metrics for `/metrics`. */
  readonly metrics?: (parts: Parts) => void
}
