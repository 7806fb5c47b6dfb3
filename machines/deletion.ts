/**
 * The deletion of an organization, a Project or an Agent; the actor's id is the target's. Source: requirement 4.5, 4.9;
 * contract 2, "Deletion".
 * The work is done in small rounds. Entering a state requests a round, whose answer carries its number, so that a
 * repeated answer of an earlier process is recognized.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import { effect, type Stamp, type StateMeta } from './words.ts'

export interface DeletionContext {
  target: 'organization' | 'project' | 'agent'
  /** 1 at the start, incremented for each round. */
  round: number
}

type Answered = Stamp & { round: number }

export type DeletionEvent =
  /** A round's maximum of runs was canceled; there may be more. */
  | (Answered & { type: 'runsTold' })
  /** No active run is left. */
  | (Answered & { type: 'runsEnded' })
  /** A run has been continued in the meantime. */
  | (Answered & { type: 'runsFound' })
  /** A round's maximum of rows was removed; there may be more. */
  | (Answered & { type: 'batchRemoved' })
  /** Nothing is left; the target itself is removed with this event. */
  | (Answered & { type: 'removed' })

/** The effect's parameters: its answer carries the round's number. */
const inRound = ({ context }: { context: DeletionContext }) => ({ round: context.round })
const endRuns = { type: 'endRuns', params: inRound } as const
const removeBatch = { type: 'removeBatch', params: inRound } as const

/** The refusal of a second request for the same deletion. */
const refusals: StateMeta = {
  refuses: { delete: { status: 409, code: 'deletion_in_progress', message: 'The deletion is already in progress.' } },
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
    lookAgain: 3_600_000,
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
  meta: { creations: { delete: {} } },
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
    // Requests in progress at the deletion of the target may still create rows.
    'settling': { after: { settleDeadline: { target: 'deleted', actions: 'sweep' } },
                  meta:  refusals },
    'deleted':  { meta:  refusals },
  },
})

/** Descriptions of the deletion's statechart. Source: contract 2, "Deletion". */
export const deletionChart = {
  title: 'Deletion',
  about:
    'The deletion of an organization, a Project or an Agent. In `draining` active runs are canceled until none is left. ' +
    'In `removing` everything below the target is removed in small batches, then the target itself. This receipt with ' +
    'ids and states, but no names, stays for 30 days. After a stop or a crash the server resumes the deletion.',
  machine: deletionMachine,
  input: { target: 'project' },
  events: {
    delete: {
      by: 'command',
      says: '`DELETE /api/v1/organizations/{organizationIdOrSlug}`, `DELETE /api/v1/projects/{projectId}` or `DELETE /api/v1/projects/{projectId}/agents/{agentId}`.',
    },
    runsTold: { by: 'server', says: 'A batch of runs was canceled; there may be more.' },
    runsEnded: { by: 'server', says: 'No active run is left.' },
    runsFound: { by: 'server', says: 'A run was continued in the meantime.' },
    batchRemoved: { by: 'server', says: 'A batch of rows was removed; there may be more.' },
    removed: { by: 'server', says: 'Everything, including the target itself, was removed.' },
  },
  guards: {
    ofThisRound: 'The answer belongs to the current round of work.',
  },
  deadlines: {
    lookAgain: { limits: 'The work of ending runs, which is then requested again.' },
    settleDeadline: { limits: 'Waiting for requests that were in progress when the target was removed.' },
  },
  effects: {
    endRuns:
      'Cancels active runs, up to 100 per round, moves Environments to `deleting`, and repeats itself each second until no run is active.',
    removeBatch: 'Removes the next rows, some hundred per round, and finally the target itself.',
    sweep: 'Removes rows that requests in progress created after the removal.',
  },
} satisfies ChartOf<typeof deletionMachine>
