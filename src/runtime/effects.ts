/** Effects: what statecharts wish for, carried out after the commit, at least once. Source: design 3, rule 6. */
import { deleteEffect, dueEffects, nextEffect, postponeEffect } from '../../storage/actors.ts'
import type { Store } from '../../storage/store.ts'
import type { EffectRow } from '../../storage/tables.ts'
import type { Clock } from './clock.ts'
import type { Wish } from './decide.ts'
import type { ActorKind, Address, Effect } from './kind.ts'

interface Planned {
  hints: { run: (params: never, scope: { address: Address; effectId: string }) => void; params: unknown; address: Address; effectId: string }[]
  durable: { row: Omit<EffectRow, 'due_at'> }[]
}

const batchSize = 200
const backOffMs = (attempts: number) => Math.min(60_000, 500 * 2 ** attempts)
const lookAgainMs = 60_000

export class EffectRunner {
  readonly #inFlight = new Map<string, Promise<void>>()
  #running = false
  #wake: { cancel(): void } | undefined
  #wakeAt = Number.POSITIVE_INFINITY

  constructor(
    private readonly store: Store,
    private readonly clock: Clock,
    private readonly effectsOf: (kind: string) => Record<string, Effect> | undefined,
    private readonly onError: (error: unknown, what: string) => void,
  ) {}

  /** Sorts the wishes of one unit of work. Throws on a wish that the kind has no effect for: a bug, before it is stored. */
  // biome-ignore lint/suspicious/noExplicitAny: any kind will do; only its effects are looked at
  plan(address: Address, kind: ActorKind<any, any, any>, version: number, wishes: readonly Wish[]): Planned {
    const planned: Planned = { hints: [], durable: [] }
    wishes.forEach(({ name, params }, index) => {
      const effect = kind.effects[name]
      if (!effect) throw new Error(`The statechart ${address.kind} wishes for ${name}, which nobody carries out.`)
      if (effect === 'inCommit') return
      const effectId = `${address.id}:${version}:${index}`
      if ('hint' in effect) planned.hints.push({ run: effect.hint, params, address, effectId })
      else
        planned.durable.push({
          row: { id: effectId, kind: address.kind, actor_id: address.id, name, params: JSON.stringify(params ?? null), attempts: 0 },
        })
    })
    return planned
  }

  /** Carries out what was committed. */
  act({ hints, durable }: Planned) {
    for (const { run, params, address, effectId } of hints) {
      try {
        run(params as never, { address, effectId })
      } catch (error) {
        this.onError(error, `a hint of ${address.kind}`)
      }
    }
    for (const { row } of durable) this.#carryOut({ ...row, due_at: 0 })
  }

  /** Carries out what an earlier process left. */
  async start() {
    this.#running = true
    await this.#work()
  }

  /** Waits for the effects that are under way. */
  async stop() {
    this.#running = false
    this.#wake?.cancel()
    await Promise.allSettled(this.#inFlight.values())
  }

  #carryOut(row: EffectRow) {
    if (this.#inFlight.has(row.id)) return
    const done = this.#attempt(row).finally(() => this.#inFlight.delete(row.id))
    this.#inFlight.set(row.id, done)
  }

  async #attempt({ id, kind, actor_id, name, params, attempts }: EffectRow) {
    try {
      const effect = this.effectsOf(kind)?.[name]
      if (typeof effect !== 'object' || !('durable' in effect)) throw new Error(`There is no durable effect ${kind}.${name}.`)
      await effect.durable(JSON.parse(params) as never, { address: { kind, id: actor_id }, effectId: id })
      await this.store.commit([deleteEffect(this.store, { id })])
    } catch (error) {
      this.onError(error, `the effect ${name} of ${kind}`)
      const dueAt = this.clock.now() + backOffMs(attempts)
      await this.store.commit([postponeEffect(this.store, { id, dueAt, attempts: attempts + 1 })]).catch(() => {})
      this.#expect(dueAt)
    }
  }

  #expect(dueAt: number) {
    if (!this.#running || dueAt >= this.#wakeAt) return
    this.#wake?.cancel()
    this.#wakeAt = dueAt
    this.#wake = this.clock.after(Math.max(0, dueAt - this.clock.now()), () => void this.#work())
  }

  async #work() {
    this.#wakeAt = Number.POSITIVE_INFINITY
    let lookAt = this.clock.now() + lookAgainMs
    try {
      while (this.#running) {
        const due = await this.store.all(dueEffects(this.store, { now: this.clock.now(), limit: batchSize }))
        const idle = due.filter(({ id }) => !this.#inFlight.has(id))
        for (const row of idle) this.#carryOut(row)
        if (idle.length === 0) {
          const next = await this.store.first(nextEffect(this.store, {}))
          if (next && next.due_at > this.clock.now()) lookAt = Math.min(lookAt, next.due_at)
          break
        }
        await Promise.allSettled(idle.map(({ id }) => this.#inFlight.get(id)))
      }
    } catch (error) {
      this.onError(error, 'the effects')
      lookAt = this.clock.now() + 1_000
    } finally {
      this.#expect(lookAt)
    }
  }
}
