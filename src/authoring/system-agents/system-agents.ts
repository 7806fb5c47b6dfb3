/**
 * The System Agents of this server: published at start, then answered from memory. A content that differs from the
 * latest revision becomes a new one; revisions are never changed, so that a run keeps the one it began with. One that is
 * disabled is known and cannot be started. Source: contract 5, "System Agents"; contract 7.
 */

import {
  getSystemAgentRevision,
  insertSystemAgentRevision,
  latestSystemAgentRevision,
  listDisabledSystemAgents,
} from '../../../storage/authoring/system-agents.ts'
import { UniqueViolation } from '../../../storage/errors.ts'
import { newId } from '../../../storage/ids.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { SystemAgentRow } from '../../../storage/tables.ts'
import { broadcast } from '../../events/history/broadcasts.ts'
import type { Hints } from '../../platform/bus/hints.ts'
import { RecentlyUsed } from '../../platform/cache.ts'
import { digestOf } from '../../platform/http/digest.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { system } from '../../runtime/kind.ts'
import type { AgentContent } from '../agents/content.ts'
import { builtInAgents } from './built-in.ts'
import { fromRow, type SystemAgentRevision } from './revision.ts'

/** Old revisions kept in memory. */
const oldRevisionsMax = 100

/** How often to look again when another server publishes at the same moment. */
const attemptsMax = 5

/** How often to read the policies that other servers have set, because a hint may be lost. */
const lookAgainMs = 5_000
/** The store is away: the next look asks again. */
const ignore = () => {}

/** The latest row of one agent, and the statements that publish it if that has yet to be done. */
async function latest(
  store: Store,
  now: number,
  agentId: string,
  content: AgentContent,
): Promise<{ row: SystemAgentRow; writes: Write[] }> {
  const stored = await store.first(latestSystemAgentRevision(store, { agentId }))
  const digest = digestOf(content)
  if (stored?.content_digest === digest) return { row: stored, writes: [] }
  const row: SystemAgentRow = {
    agent_id: agentId,
    agent_revision_id: newId('agr', now),
    number: (stored?.number ?? 0) + 1,
    content_digest: digest,
    content: JSON.stringify(content),
    created_at: now,
  }
  const published = broadcast(store, {
    type: 'system_agent.published',
    subject: { type: 'systemAgent', id: agentId },
    actor: system,
    data: {
      agentId,
      agentRevisionId: row.agent_revision_id,
      previousAgentRevisionId: stored?.agent_revision_id ?? null,
      number: row.number,
    },
    at: now,
  })
  return { row, writes: [insertSystemAgentRevision(store, row), published] }
}

export class SystemAgents {
  readonly #store: Store
  readonly #byAgent: ReadonlyMap<string, SystemAgentRevision>
  readonly #byRevision: ReadonlyMap<string, SystemAgentRevision>
  readonly #old = new RecentlyUsed<SystemAgentRevision>(oldRevisionsMax)

  #disabled: Set<string>
  /** The number of committed policies that were taken over. */
  #changes = 0
  /** Reads of the policies in the order in which they began: their number, and the last one that applies. */
  #reads = 0
  #applied = 0
  #hints: Hints | undefined
  #look: { cancel(): void } | undefined

  private constructor(store: Store, revisions: readonly SystemAgentRevision[], disabled: Iterable<string>) {
    this.#store = store
    this.#disabled = new Set(disabled)
    this.#byAgent = new Map(revisions.map((revision) => [revision.agentId, revision]))
    this.#byRevision = new Map(revisions.map((revision) => [revision.agentRevisionId, revision]))
  }

  /** Publishes what has changed since the last start, in one unit of work. Throws `StoreUnavailable`. */
  static async publish(store: Store, clock: Pick<Clock, 'now'>, agents = builtInAgents): Promise<SystemAgents> {
    for (let attempt = 1; ; attempt += 1) {
      const now = clock.now()
      const all = await Promise.all(Object.entries(agents).map(([id, content]) => latest(store, now, id, content)))
      const changes = all.flatMap(({ writes }) => writes)
      try {
        if (changes.length > 0) await store.commit(changes)
        const disabled = await store.all(listDisabledSystemAgents(store, {}))
        return new SystemAgents(
          store,
          all.map(({ row }) => fromRow(row)),
          disabled.map(({ agent_id }) => agent_id),
        )
      } catch (error) {
        if (!(error instanceof UniqueViolation) || attempt === attemptsMax) throw error
      }
    }
  }

  /** All of them, at their latest revision, by id. */
  list(): SystemAgentRevision[] {
    return [...this.#byAgent.values()].sort((one, other) => (one.agentId < other.agentId ? -1 : 1))
  }

  /** The latest revision of an agent; undefined when there is no such System Agent. */
  find(agentId: string): SystemAgentRevision | undefined {
    return this.#byAgent.get(agentId)
  }

  /** The latest revision of an agent that can be started. */
  findEnabled(agentId: string): SystemAgentRevision | undefined {
    return this.#disabled.has(agentId) ? undefined : this.find(agentId)
  }

  isEnabled(agentId: string): boolean {
    return !this.#disabled.has(agentId)
  }

  /** Takes over a committed policy. */
  noteEnabled(agentId: string, enabled: boolean): void {
    this.#changes += 1
    if (enabled) this.#disabled.delete(agentId)
    else this.#disabled.add(agentId)
    this.#hints?.tell('policy', agentId, true)
  }

  /** Hears from other servers which agents can be started, and looks every few seconds, until `stop`. */
  follow(hints: Hints, clock: Clock): void {
    if (!hints.isShared) return
    this.#hints = hints
    const look = () => void this.refresh().catch(ignore)
    hints.on('policy', look)
    hints.onceMore(look)
    const later = () => {
      this.#look = clock.after(lookAgainMs, () => {
        look()
        later()
      })
    }
    later()
  }

  stop(): void {
    this.#look?.cancel()
  }

  /**
   * Asks the store which agents are disabled. An answer from before a policy that was taken over meanwhile, or that comes
   * after the one of a later question, does not count. Throws `StoreUnavailable`.
   */
  async refresh(): Promise<void> {
    for (;;) {
      this.#reads += 1
      const [read, changes] = [this.#reads, this.#changes]
      const disabled = await this.#store.all(listDisabledSystemAgents(this.#store, {}))
      if (read < this.#applied) return
      if (changes !== this.#changes) continue
      this.#applied = read
      this.#disabled = new Set(disabled.map(({ agent_id }) => agent_id))
      return
    }
  }

  /** `findEnabled`, where memory says no and another server may have enabled the agent; undefined: it has not. */
  findAgain(agentId: string): Promise<SystemAgentRevision | undefined> | undefined {
    if (!this.#hints || !this.#disabled.has(agentId)) return undefined
    return this.refresh().then(() => this.findEnabled(agentId))
  }

  /** A revision, the latest or an older one; a promise only when the store has to be asked. Throws `StoreUnavailable`. */
  revision(agentRevisionId: string): SystemAgentRevision | Promise<SystemAgentRevision | undefined> {
    return this.#byRevision.get(agentRevisionId) ?? this.#old.get(agentRevisionId) ?? this.#load(agentRevisionId)
  }

  async #load(agentRevisionId: string): Promise<SystemAgentRevision | undefined> {
    const row = await this.#store.first(getSystemAgentRevision(this.#store, { agentRevisionId }))
    if (!row) return undefined
    const revision = fromRow(row)
    this.#old.set(agentRevisionId, revision)
    return revision
  }
}
