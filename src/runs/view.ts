/** Runs as the statechart API shows them. */
import type { RunContext } from '../../machines/run.ts'
import { ApiError } from '../platform/http/answers/errors.ts'
import type { Actor } from '../runtime/kind.ts'
import type { ActorView } from '../runtime/statecharts/live/watch.ts'
import type { RunAccess } from './access.ts'
import type { RunControl } from './control/control.ts'
import type { RunRecord } from './record.ts'
import { publicRunContext } from './run-context.ts'

const permission = 'agent-runs:get'

export const runView = (definition: ActorView['definition'], access: RunAccess, control: RunControl): ActorView => ({
  definition,
  readPermission: permission,
  async find(caller, id) {
    try {
      await access.find(caller, id, permission)
      return true
    } catch (error) {
      if (error instanceof ApiError && error.status === 404) return false
      throw error
    }
  },
  factsFor: (caller, actor, event) => control.factsFor(caller, actor as Actor<RunRecord>, event),
  redact: (context) => publicRunContext(context as unknown as RunContext),
})
