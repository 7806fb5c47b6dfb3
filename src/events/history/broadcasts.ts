/**
 * Events for every active Environment, or every one of an organization. A broadcast commits with its change and is then
 * recorded in one history after the other: a few Environments per unit of work, together with the progress, so that a
 * crash neither omits nor repeats any. Source: contract 7, "Who emits what".
 */

import { MissingReference, StaleWrite } from '../../../storage/errors.ts'
import {
  deleteBroadcast,
  findOldestBroadcast,
  insertBroadcast,
  listAudience,
  listAudienceWithin,
  moveBroadcast,
} from '../../../storage/events/broadcasts.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { BroadcastRow } from '../../../storage/tables.ts'
import type { Hints } from '../../platform/bus/hints.ts'
import type { Notices } from '../../platform/mail/notices.ts'
import type { Members } from '../../platform/members/members.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { Poller } from '../../platform/time/poller.ts'
import type { By } from '../../runtime/kind.ts'
import { lookAgainMs } from '../../runtime/work-share.ts'
import type { EventKind, EventSubject } from '../kinds/kinds.ts'
import { type NewEvent, recordEvent } from './record.ts'

/** An event without its place. */
type NewBroadcast = Omit<NewEvent, 'organizationId' | 'projectId' | 'environmentId'>

/**
 * The statement that stores a broadcast, for the unit of work of the change: for all Environments, or those of an
 * organization. Call `Broadcasts.wake` after the commit.
 */
export const broadcast = (
  store: Store,
  { type, subject, actor, data, at }: NewBroadcast,
  organizationId: string | null = null,
): Write =>
  insertBroadcast(store, {
    organization_id: organizationId,
    type,
    subject_type: subject.type,
    subject_id: subject.id,
    actor_type: actor.type,
    actor_id: actor.id,
    data: JSON.stringify(data),
    at,
    told_up_to: '',
  })

const listeners = new WeakMap<Store, Set<Broadcasts>>()

/** A hint that a broadcast may have been committed; the next hint, or the next start, makes up for a lost one. */
export function notifyBroadcast(store: Store): void {
  for (const broadcasts of listeners.get(store) ?? []) broadcasts.wake()
}

/** The key of the slot of broadcasts. */
const announcements = 'announcements'
/** Per unit of work, because a transaction blocks all others. */
const environmentsAtOnceMax = 50
const tryAgainMs = 1_000

interface BroadcastsParts {
  store: Store
  clock: Clock
  /** The owner of that slot records them. */
  members: Pick<Members, 'owns' | 'living' | 'onChange'>
  /** Omitted: there is only one server. */
  hints?: Hints
  /** Mails members; null if no mail server is configured. */
  notices: Pick<Notices, 'ofBudget'> | null
  onError(error: unknown, what: string): void
}

export class Broadcasts {
  readonly #poller: Poller
  #unsubscribe = () => {}

  constructor(private readonly parts: BroadcastsParts) {
    this.#poller = new Poller(parts.clock, () => this.#tellAll())
    parts.hints?.on('announced', () => {
      if (parts.members.owns(announcements)) this.wake()
    })
  }

  /** Continues the work of earlier processes. */
  start(): void {
    const { store } = this.parts
    listeners.set(store, (listeners.get(store) ?? new Set()).add(this))
    this.#unsubscribe = this.parts.members.onChange(() => this.wake())
    void this.#poller.start()
  }

  /** There may be a new broadcast. */
  wake(): void {
    const { members, hints } = this.parts
    if (!members.owns(announcements)) hints?.tell('announced', announcements)
    if (this.#poller.running) void this.#poller.now()
  }

  /** Resolves when the current unit of work is done. */
  stop(): Promise<void> {
    listeners.get(this.parts.store)?.delete(this)
    this.#unsubscribe()
    return this.#poller.stop()
  }

  async #tellAll(): Promise<number> {
    const { store, clock, members, onError } = this.parts
    try {
      while (this.#poller.running && members.owns(announcements)) {
        const broadcast = await store.first<BroadcastRow>(findOldestBroadcast(store, {}))
        if (!broadcast) break
        await this.#tellSome(broadcast)
      }
      // commits of another server do not call `wake` here
      return clock.now() + lookAgainMs(members, Number.POSITIVE_INFINITY)
    } catch (error) {
      onError(error, 'the announcements')
      return clock.now() + tryAgainMs
    }
  }

  async #tellSome({
    id,
    told_up_to: from,
    at,
    organization_id: organizationId,
    ...broadcast
  }: BroadcastRow): Promise<void> {
    const { store } = this.parts
    const next = { after: from, at, limit: environmentsAtOnceMax }
    const environments = await store.all(
      organizationId === null ? listAudience(store, next) : listAudienceWithin(store, { ...next, organizationId }),
    )
    const last = environments.at(-1)
    const events = environments.flatMap(({ id: environmentId, organization_id, project_id, is_told }) =>
      is_told
        ? recordEvent(store, {
            organizationId: organization_id,
            projectId: project_id,
            environmentId,
            type: broadcast.type as EventKind,
            subject: { type: broadcast.subject_type as EventSubject['type'], id: broadcast.subject_id },
            actor: { type: broadcast.actor_type as By['type'], id: broadcast.actor_id },
            data: JSON.parse(broadcast.data),
            at,
          })
        : [],
    )
    const progress = last ? moveBroadcast(store, { id, from, to: last.id }) : deleteBroadcast(store, { id, from })
    try {
      await store.commit([progress, ...events, ...this.#mails({ ...broadcast, at, told_up_to: from, organizationId })])
    } catch (error) {
      // another server has recorded them, or one of them was just removed: read again
      if (!(error instanceof StaleWrite || error instanceof MissingReference)) throw error
    }
  }

  /** Mails commit with the first Environments, or at the end if there are none. */
  #mails({ type, data, at, told_up_to, organizationId }: Mailed): Write[] {
    const isBudget = type === 'budget.warning' || type === 'budget.exhausted'
    if (!isBudget || organizationId === null || told_up_to !== '') return []
    return this.parts.notices?.ofBudget(type, organizationId, data, at) ?? []
  }
}

type Mailed = Pick<BroadcastRow, 'type' | 'data' | 'at' | 'told_up_to'> & { organizationId: string | null }
