/** Actors in memory, as this process has last committed or read them. */
import { StaleWrite } from '../../storage/errors.ts'
import { lastTransition } from '../../storage/runtime/journal.ts'
import type { Store } from '../../storage/store.ts'
import { RecentlyUsed } from '../platform/cache.ts'
import type { Registered } from './command.ts'
import { restore } from './decisions/snapshot.ts'
import type { Actor, Address } from './kind.ts'

type AnyActor = Actor<unknown>

export const keyOf = ({ kind, id }: Address) => `${kind}/${id}`

export class ActorMemory {
  readonly #kept: RecentlyUsed<AnyActor>

  constructor(
    private readonly store: Store,
    /** Whether other processes also change actors, so that the cached actors may be outdated. */
    private readonly isShared: boolean,
    sizeMax: number,
  ) {
    this.#kept = new RecentlyUsed(sizeMax)
  }

  get(key: string): AnyActor | undefined {
    return this.#kept.get(key)
  }

  keep(key: string, { definition }: Registered, actor: AnyActor): void {
    if (definition.isKept?.(actor.row) ?? true) this.#kept.set(key, actor)
    else this.#kept.delete(key)
  }

  forget(key: string): void {
    this.#kept.delete(key)
  }

  get size(): number {
    return this.#kept.size
  }

  /** The actor as last committed by any process: from memory if only this process commits, else from the store. */
  async read(address: Address, kind: Registered): Promise<AnyActor | undefined> {
    return (this.isShared ? undefined : this.#kept.get(keyOf(address))) ?? (await this.load(address, kind))
  }

  /** The actor from the store, or a newer commit of this process. */
  async load(address: Address, kind: Registered): Promise<AnyActor | undefined> {
    const { definition, tableOf } = kind
    const key = keyOf(address)
    const row = await definition.load(this.store, address.id)
    if (row === undefined) {
      if (this.isShared) this.forget(key)
      return undefined
    }
    const { state, context, version } = restore(definition, tableOf(row), definition.snapshot(row))
    // if servers share the store, each commit of an actor changes its version
    const same = this.#kept.get(key)
    if (this.isShared && definition.renew && same?.version === version) {
      const actor: AnyActor = { ...same, state, context, row: definition.renew(same.row, row) }
      this.keep(key, kind, actor)
      return actor
    }
    const last = await this.store.first(lastTransition(this.store, { kind: address.kind, actorId: address.id }))
    const { sequence, at } = last ?? { sequence: 0, at: 0 }
    const actor: AnyActor = { address, state, version, context, sequence, at, since: at, row }
    // A commit during the read is newer than the row that was read.
    const known = this.#kept.get(key)
    if (known && (this.isShared ? known.version > version : known.version >= version)) return known
    this.keep(key, kind, actor)
    return actor
  }

  /** Repeats a refusal against the stored row, in case the actor in memory is outdated. */
  async confirm({ kind, id }: Address, { definition }: Registered, cached: AnyActor): Promise<void> {
    const row = await definition.load(this.store, id)
    if (row === undefined || definition.snapshot(row).version !== cached.version) {
      throw new StaleWrite(`The ${kind} has changed since it was read.`)
    }
  }
}
