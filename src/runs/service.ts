/** Agent runs: one service for each aspect, all with the same store, actors and access rules. */
import type { Store } from '../../storage/store.ts'
import { aloneBus, type Bus } from '../platform/bus/bus.ts'
import type { Idempotency } from '../platform/http/changes/idempotency.ts'
import type { Cursors } from '../platform/http/cursor.ts'
import type { Prices } from '../platform/models/prices/prices.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { Actors } from '../runtime/actors.ts'
import { RunAccess } from './access.ts'
import type { BindingResolver } from './admission/bindings.ts'
import type { RunStarts } from './admission/start.ts'
import type { Pins } from './attempts/leasing/assignment.ts'
import { type CallApprovals, noApprovals } from './control/approvals.ts'
import { RunControl } from './control/control.ts'
import { Conversations } from './conversations/conversations.ts'
import type { QueuedInputs } from './conversations/queued-inputs.ts'
import type { RunForks } from './forks/forks.ts'
import { RunLogs } from './logs/logs.ts'
import { ContentRetention } from './records/content-retention.ts'
import { RunLists } from './records/lists.ts'
import { RunOutcomes } from './records/outcome.ts'
import { RunRecords } from './records/records.ts'
import { RunSteps } from './records/steps.ts'
import { RunRetention } from './retention/run-retention.ts'
import { RunStatistics } from './statistics/statistics.ts'
import type { Reserve } from './statistics/usage.ts'
import { RunChanges } from './stream/changes/changes.ts'
import { RunStreams } from './stream/streams.ts'
import { RunTurns } from './stream/turns.ts'

export interface RunsParts {
  store: Store
  actors: Actors
  clock: Clock
  cursors: Cursors
  starts: RunStarts
  forks: RunForks
  queuedInputs: QueuedInputs
  idempotency: Idempotency
  /** The hints to and from other servers; omitted: there are none. */
  bus?: Bus
  bindings: BindingResolver
  reserve: Reserve
  pins: Pick<Pins, 'content'>
  /** Omitted: models have no prices. */
  prices?: Prices
  /** The approvals of calls; omitted: no call waits for one. */
  approvals?: CallApprovals
  /** Receives records that cannot be read. */
  onDamaged(damage: Error): void
}

export function createRuns(parts: RunsParts) {
  const { store, actors, clock, cursors, starts, approvals = noApprovals } = parts
  const access = new RunAccess(store, actors)
  const streams = new RunStreams({ store, actors, clock, access })
  const sweeping = { store: store.background, actors, clock, streams }
  const contentRetention = new ContentRetention(sweeping)
  const control = new RunControl({ ...parts, access, approvals })
  const turns = new RunTurns(store)
  return {
    access,
    starts,
    forks: parts.forks,
    idempotency: parts.idempotency,
    control,
    conversations: new Conversations({ ...parts, access, control }),
    queuedInputs: parts.queuedInputs,
    lists: new RunLists({ store, cursors, onDamaged: parts.onDamaged }),
    statistics: new RunStatistics({ store, clock }),
    steps: new RunSteps({ store, access, cursors }),
    logs: new RunLogs({ store, access, cursors }),
    records: new RunRecords({ store, access, cursors, onDamaged: parts.onDamaged }),
    outcomes: new RunOutcomes({ store, actors, access, clock, turns, pins: parts.pins }),
    streams,
    changes: new RunChanges({ actors, clock, bus: parts.bus ?? aloneBus }),
    turns,
    contentRetention,
    runRetention: new RunRetention({ ...sweeping, content: contentRetention }),
  }
}

export type Runs = ReturnType<typeof createRuns>
