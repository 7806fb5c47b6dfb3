/**
 * The removal of an organization, a Project or an Agent; the actor's id is that of what is removed.
 * Source: requirement 4.5, 4.9; contract 2, "Deletion".
 *
 * The work is done in rounds. Each one is small, asked for by entering a state, and answered with an event that carries
 * its number: what an earlier process began and a later one repeats is told by a number that has passed.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
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

/** The statechart of a removal, in words. Source: contract 2, "Deletion". */
export const deletionChart = {
  title: 'Deletion',
  about:
    'The removal of an organization, a Project or an Agent. In `draining` live runs are told to end, and it is looked ' +
    'again until none is left. In `removing` everything below the target is removed in small batches, and at last the ' +
    'target itself. What remains is this receipt, for 30 days: ids and states, no names. A server that stops or crashes ' +
    'goes on where it was.',
  machine: deletionMachine,
  input: { target: 'project' },
  events: {
    delete: {
      by: 'command',
      says: '`DELETE /api/v1/organizations/{organizationIdOrSlug}`, `DELETE /api/v1/projects/{projectId}` or `DELETE /api/v1/projects/{projectId}/agents/{agentId}`.',
    },
    runsTold: { by: 'server', says: 'As many runs as a round takes were told to end; there may be more.' },
    runsEnded: { by: 'server', says: 'No live run is left.' },
    runsFound: { by: 'server', says: 'A run has begun anew in the meantime.' },
    batchRemoved: { by: 'server', says: 'As much as a round takes is removed; there may be more.' },
    removed: { by: 'server', says: 'Nothing is left, and the target itself is gone.' },
  },
  guards: {
    ofThisRound: 'The answer belongs to the round of work that was asked for last.',
  },
  deadlines: {
    lookAgain: { limits: 'Waiting for runs that wind down; then they are looked at again.' },
    settleDeadline: { limits: 'Waiting for requests that were under way when the target went.' },
  },
  effects: {
    endRuns: 'Cancels live runs, up to 500 in a round, and tells Environments of their end.',
    removeBatch: 'Removes the next rows, some hundred in a round, and the target itself when nothing else is left.',
    sweep: 'Removes what requests that were under way have left behind.',
  },
} satisfies ChartOf<typeof deletionMachine>
