/** The journal of an actor, where moves that are committed together share rows; on each engine. */
import { expect, test } from 'bun:test'
import {
  firstEntry,
  insertTransitions,
  lastTransition,
  listTransitions,
  listTransitionsInStream,
} from '../../storage/runtime/journal.ts'
import type { TransitionRow } from '../../storage/tables.ts'
import { onEachEngine } from './engines/each-engine.ts'

const owner = { kind: 'run', actorId: 'run_a' }

/** A journal of these moves: `to`, or `to` with more fields. */
function journal(...given: (string | [to: string, changes: Partial<TransitionRow>])[]): TransitionRow[] {
  let from_state: string | null = null
  return given.map((each, at) => {
    const [to_state, changes] = typeof each === 'string' ? [each, {}] : each
    const move: TransitionRow = {
      kind: 'run',
      actor_id: 'run_a',
      sequence: at + 1,
      from_state,
      to_state,
      event: `to ${to_state}`,
      by_type: 'system',
      by_id: 'troupe',
      attempt: 1,
      reason: null,
      at: 1_000 + at,
      stream_sequence: 10 * (at + 1),
      ...changes,
    }
    from_state = to_state
    return move
  })
}

const moves = journal(
  'queued',
  ['acquiring', { by_type: 'apiKey', by_id: 'key_"1"' }],
  'starting',
  ['running', { by_type: 'runner', by_id: 'att_1', at: 1_000 }],
  ['queued', { reason: JSON.stringify({ code: 'lost', message: '["running","' }) }],
  ['acquiring', { attempt: 2, stream_sequence: 55 }],
  ['completed', { attempt: 2 }],
  ['queued', { event: 'continue' }],
  'acquiring',
  ['running', { at: 5_000 }],
  'completed',
)
const commits = [moves.slice(0, 1), moves.slice(1, 8), moves.slice(8)]

onEachEngine((opened) => {
  test('every page reads as if each move had its own row', async () => {
    const { store } = opened
    for (const each of commits) await store.commit(insertTransitions(store, each))
    for (let after = 0; after <= moves.length; after += 1) {
      for (const limit of [1, 2, 3, 100]) {
        const expected = moves.slice(after, after + limit)
        expect(await listTransitions(store, { ...owner, after, limit })).toEqual(expected)
        const behind = moves[after - 1]?.stream_sequence ?? 0
        expect(await listTransitionsInStream(store, { ...owner, after: behind, limit })).toEqual(expected)
      }
    }
    const last = { sequence: 11, stream_sequence: 110, at: moves[10]!.at }
    expect(await store.first(lastTransition(store, owner))).toEqual(last)
    // a field that is searched by its column ends a row
    const rows = await store.db.selectFrom('transitions').select('sequence').orderBy('sequence').execute()
    expect(rows.map(({ sequence }) => sequence)).toEqual([1, 5, 8, 11])
  })

  test('a state is found wherever the move into it is in its row', async () => {
    const { store } = opened
    const entry = (state: string, after = 0) => firstEntry(store, { ...owner, state, after })
    await store.commit(commits.flatMap((each) => insertTransitions(store, each)))
    expect(await entry('running')).toBe(1_000)
    expect(await entry('running', 8)).toBe(5_000)
    expect(await entry('completed', 8)).toBe(moves[10]!.at)
    expect(await entry('canceled')).toBeUndefined()
    // not just because the text of a reason contains it
    await store.commit(
      insertTransitions(
        store,
        journal('queued', ['failed', { reason: '["running","' }]).map((move) => ({ ...move, actor_id: 'run_b' })),
      ),
    )
    expect(await firstEntry(store, { kind: 'run', actorId: 'run_b', state: 'running', after: 0 })).toBeUndefined()
  })

  test('the journal of an earlier version continues with rows of several moves', async () => {
    const { store } = opened
    for (const move of moves.slice(0, 4)) await store.db.insertInto('transitions').values(move).execute()
    await store.commit(insertTransitions(store, moves.slice(4)))
    expect(await listTransitions(store, { ...owner, after: 0, limit: 100 })).toEqual(moves)
    expect(await listTransitions(store, { ...owner, after: 3, limit: 3 })).toEqual(moves.slice(3, 6))
  })
})
