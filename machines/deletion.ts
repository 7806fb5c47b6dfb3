/**
 * The removal of an organization, a Project or an Agent; the actor's id is that of what is removed.
 * Source: requirement 4.5, 4.9; contract 2, "Deletion".
 *
 * The work is done in rounds. Each one is small, asked for by entering a state, and answered with an event that carries
 * its number: what an earlier process began and a later one repeats is told by a number that has passed.
 */
import { assign, setup } from 'xstate'
import { effect, type Stamp, type StateMeta } from './words.ts'

export interface DeletionContext {
  target: 'organization' | 'project' | 'agent'
  /** 1 at the start, +1 for each further round of work. */
  round: number
}

type Answered = Stamp & { round: number }

export type DeletionEvent =
  /** As many runs as one round takes were told to end; there may be more. */
  | (Answered & { type: 'runsTold' })
  /** No live run is left. */
  | (Answered & { type: 'runsEnded' })
  /** A run has begun anew in the meantime. */
  | (Answered & { type: 'runsFound' })
  /** As much as one round takes was removed; there may be more. */
  | (Answered & { type: 'batchRemoved' })
  /** Nothing is left, and the target itself went with this event. */
  | (Answered & { type: 'removed' })

/** What is done in a round; its answer carries the number. */
const inRound = ({ context }: { context: DeletionContext }) => ({ round: context.round })
const endRuns = { type: 'endRuns', params: inRound } as const
const removeBatch = { type: 'removeBatch', params: inRound } as const

/** What a second request for the same removal is told. */
const refusals: StateMeta = {
  refuses: { delete: { status: 409, code: 'deletion_in_progress', message: 'This is being deleted already.' } },
}

export const deletionMachine = setup({
  types: {
    input: {} as Pick<DeletionContext, 'target'>,
    context: {} as DeletionContext,
    events: {} as DeletionEvent,
    meta: {} as StateMeta,
  },
  guards: {
    ofThisRound: ({ context, event }) => 'round' in event && event.round === context.round,
  },
  delays: {
    lookAgain: 1_000,
    settleDeadline: 60_000,
  },
  actions: {
    beginRound: assign({ round: ({ context }) => context.round + 1 }),
    endRuns: (_, _params: { round: number }) => {},
    removeBatch: (_, _params: { round: number }) => {},
    sweep: effect,
  },
}).createMachine({
  id: 'deletion',
  version: '1',
  context: ({ input }) => ({ target: input.target, round: 0 }),
  meta: { births: { delete: {} } },
  initial: 'draining',
  // biome-ignore format: the statechart reads as a table, a state downwards, its moves across
  states: {
    'draining': { entry: ['beginRound', endRuns],
                  on:    { runsTold:       { target: 'draining', guard: 'ofThisRound', reenter: true },
                           runsEnded:      { target: 'removing', guard: 'ofThisRound' } },
                  after: { lookAgain:      { target: 'draining', reenter: true } },
                  meta:  refusals },
    'removing': { entry: ['beginRound', removeBatch],
                  on:    { batchRemoved:   { target: 'removing', guard: 'ofThisRound', reenter: true },
                           runsFound:      { target: 'draining', guard: 'ofThisRound' },
                           removed:        { target: 'settling', guard: 'ofThisRound' } },
                  meta:  refusals },
    // Requests that were under way when the target went may still leave something behind.
    'settling': { after: { settleDeadline: { target: 'deleted', actions: 'sweep' } },
                  meta:  refusals },
    'deleted':  { meta:  refusals },
  },
})
