/**
 * One agent run; the actor's id is the run's.
 * Source: requirement 3, "Agent Run lifecycle states"; contract 5, "Statechart".
 */
import { assign, setup } from 'xstate'
import { withUsed } from './run/budget.ts'
import { budgetEndOf, guards, isApproved, unanswered } from './run/guards.ts'
import { noneQueued, queuedFirst, queuedLast } from './run/inputs.ts'
import { awaiting, begun, busy, conversationFull, ended, forbidden, full, withoutMeans } from './run/refusals.ts'
import { backOff, heldMs, isDeadline, isTimeLeft, startDelayMs, watchedMs } from './run/times.ts'
import {
  decided,
  defaultRunLimits,
  type RunContext,
  type RunEvent,
  type RunInput,
  type RunLimits,
} from './run/words.ts'
import { effect, isMissed, type StateMeta } from './words.ts'

export * from './run/words.ts'

/** Requests the release of the attempt's machine slot; must come before the attempt is closed. */
const releaseMachine = {
  type: 'releaseMachine',
  params: ({ context }: { context: RunContext }) => ({
    machine: context.lease?.machine ?? '',
    fencingToken: context.lease?.fencingToken ?? 0,
  }),
} as const

export const createRunMachine = (limits: RunLimits = defaultRunLimits) =>
  setup({
    types: {
      input: {} as RunInput,
      context: {} as RunContext,
      events: {} as RunEvent,
      meta: {} as StateMeta,
    },
    guards: {
      ...guards,
      startTimeLeft: ({ context, event }) => isTimeLeft(context, event, limits.handoffMs),
      activeTimeLeft: ({ context, event }) => isTimeLeft(context, event, limits.activeLimitMs - context.activeMs),
    },
    delays: {
      queueDeadline: ({ context, event }) =>
        isDeadline(event, 'queueDeadline')
          ? limits.handoffMs
          : limits.queueTtlMs + (event.type === 'startNow' ? 0 : startDelayMs(context)),
      acquireDeadline: limits.handoffMs,
      startDeadline: limits.handoffMs,
      activeDeadline: ({ context, event }) => {
        const watched = watchedMs(context, event)
        if (watched === undefined && isMissed(event)) return limits.handoffMs
        const held = watched ?? event.at - (context.activeSince ?? event.at)
        return Math.max(0, limits.activeLimitMs - context.activeMs - held)
      },
      awaitDeadline: limits.awaitTtlMs,
      cancelDeadline: limits.cancelGraceMs,
    },
    actions: {
      openAttempt: assign(({ context, event }) =>
        event.type === 'leaseRequested'
          ? {
              attempt: context.attempt + 1,
              lease: {
                attemptId: event.attemptId,
                machine: event.machine,
                ...(event.runner && { runner: event.runner }),
                fencingToken: 0,
              },
              settled: null,
              stopRequested: false,
            }
          : {},
      ),
      holdLease: assign(({ context, event }) =>
        event.type === 'leased' && context.lease
          ? { lease: { ...context.lease, fencingToken: event.fencingToken }, activeSince: event.at }
          : {},
      ),
      noteStart: assign(({ context, event }) => ({ startedAt: context.startedAt ?? event.at, cause: null })),
      closeAttempt: assign(({ context, event }) => ({
        lease: null,
        settled:
          'reportDigest' in event && event.reportDigest !== undefined && context.lease
            ? { attemptId: context.lease.attemptId, reportDigest: event.reportDigest }
            : context.settled,
        activeMs: context.activeMs + heldMs(limits, context, event),
        activeSince: null,
      })),
      backOff: assign(({ context, event }) => ({
        availableAt: event.at + backOff(limits, context, event),
        retriesLeft: context.retriesLeft - 1,
      })),
      noteCause: assign(({ event }) => ({
        cause:
          'cause' in event
            ? event.cause
            : { code: 'machine_unavailable', message: 'The runner did not start in time.' },
      })),
      noteTimeout: assign({ cause: { code: 'run_timeout', message: 'The run used up its active time.' } }),
      noteBudget: assign((given) => ({ cause: { code: 'budget_exhausted', message: budgetEndOf(given) ?? '' } })),
      countUsage: assign(({ context, event }) => withUsed(context, 'used' in event ? event.used : undefined)),
      noteStopReason: assign(({ event }) => ({ stopReason: event.type === 'completed' ? event.stopReason : null })),
      requestStop: assign({ stopRequested: true }),
      noteCancel: assign(({ context, event }) =>
        event.type === 'cancel'
          ? {
              ...(event.withCall === true && !context.callCanceled ? { callCanceled: true } : {}),
              ...(event.first ? queuedFirst(context, event.first.query, event.at) : noneQueued(context)),
            }
          : {},
      ),
      enqueue: assign(({ context, event }) =>
        event.type === 'enqueue' ? (event.first ? queuedFirst : queuedLast)(context, event.query, event.at) : {},
      ),
      dropInputs: assign(({ context }) => noneQueued(context)),
      await: assign(({ event }) => ({ awaiting: 'awaiting' in event ? event.awaiting : [] })),
      noteApproval: assign(({ context, event }) =>
        event.type === 'callApproved'
          ? {
              awaiting: context.awaiting.map((call) =>
                isApproved(call, event) ? decided(call, event.waitsFor) : call,
              ),
            }
          : {},
      ),
      keepResults: assign(({ context, event }) => ({
        awaiting: unanswered(
          context.awaiting,
          event.type === 'continue'
            ? (event.answered ?? [])
            : event.type === 'delegateResult' || event.type === 'toolResult'
              ? [event.toolCallId]
              : [],
        ),
      })),
      startNow: assign(({ context, event }) => ({
        availableAt: event.at,
        delayMs: Math.max(0, startDelayMs(context) - (context.availableAt - event.at)),
      })),
      becomeAvailable: assign(({ event }) => ({ availableAt: event.at })),
      openChain: assign(({ context, event }) => {
        const maxRetries = (event.type === 'continue' ? event.maxRetries : undefined) ?? context.maxRetries
        return {
          chain: context.chain + 1,
          maxRetries,
          retriesLeft: maxRetries,
          activeMs: 0,
          awaiting: [],
          cause: null,
          stopReason: null,
          endedAt: null,
          ...(event.type === 'continue' && event.inputId !== undefined
            ? { queuedInputs: context.queuedInputs?.slice(1) ?? [] }
            : {}),
        }
      }),
      forgetCause: assign({ cause: null }),
      noteEnd: assign(({ event }) => ({ endedAt: event.at, awaiting: [] })),
      keepReports: effect,
      lookForDecisions: effect,
      withdrawApprovals: effect,
      breakOffCalls: effect,
      startNextInput: effect,
      offerToRunners: effect,
      signalWorker: effect,
      releaseMachine: (_, _params: { machine: string; fencingToken: number }) => {},
    },
  }).createMachine({
    id: 'run',
    version: '1',
    context: ({ input }) => ({
      maxRetries: input.maxRetries,
      retriesLeft: input.maxRetries,
      attempt: 0,
      chain: 1,
      lease: null,
      settled: null,
      activeMs: 0,
      activeSince: null,
      availableAt: Math.max(input.at, input.startAt ?? input.at),
      awaiting: [],
      stopRequested: false,
      cause: null,
      stopReason: null,
      startedAt: null,
      endedAt: null,
      contentRemoved: false,
      callCanceled: false,
      ...(input.startAt !== undefined && input.startAt > input.at && { delayMs: input.startAt - input.at }),
      ...(input.budget && { budget: input.budget }),
      ...(input.spent && { spent: input.spent }),
    }),
    meta: { creations: { start: { guard: 'admitted', refuses: [forbidden, ...withoutMeans, conversationFull] } } },
    initial: 'live',
    // biome-ignore format: the statechart reads as a table, a state downwards, its moves across
    states: {
      live:     {                  on:    { enqueue:              { guard: 'placeLeftBehind', actions: 'enqueue' },
                                            metered:              { guard: 'counted', actions: 'countUsage' } },
                                   meta:  busy,
                                   initial: 'queued', states: {
        'queued':                { entry: 'offerToRunners', id: 'queued',
                                   on:    { leaseRequested:       { target: 'acquiring', guard: 'asPrepared', actions: 'openAttempt' },
                                            startNow:            [{ target: 'queued', guard: 'putOff', actions: 'startNow', reenter: true },
                                                                  { target: 'queued', guard: 'due' }],
                                            cancel:               { target: '#canceled', guard: 'placeIfFirst', actions: 'noteCancel' } },
                                   meta:  begun,
                                   after: { queueDeadline:       [{ target: 'queued', guard: 'deadlineMissed', reenter: true },
                                                                  { target: '#expired' }] } },
        'acquiring':             { on:    { leased:               { target: '#starting', guard: 'requested', actions: 'holdLease' },
                                            attemptLost:         [{ target: 'queued', guard: 'drained', actions: ['closeAttempt', 'becomeAvailable'] },
                                                                  { target: 'queued', guard: 'currentAndRetriesLeft', actions: ['noteCause', 'closeAttempt', 'backOff'] },
                                                                  { target: '#failed', guard: 'current', actions: ['noteCause', 'closeAttempt'] }],
                                            cancel:               { target: '#canceled', guard: 'placeIfFirst', actions: ['noteCancel', releaseMachine, 'closeAttempt'] } },
                                   after: { acquireDeadline:     [{ target: 'acquiring', guard: 'deadlineMissed', reenter: true },
                                                                  { target: 'queued', guard: 'retriesLeft', actions: [releaseMachine, 'noteCause', 'closeAttempt', 'backOff'] },
                                                                  { target: '#failed', actions: [releaseMachine, 'noteCause', 'closeAttempt'] }] } },
        leased:   {                on:    { attemptLost:         [{ target: 'queued', guard: 'drained', actions: [releaseMachine, 'closeAttempt', 'becomeAvailable'] },
                                                                  { target: 'queued', guard: 'currentAndRetriesLeft', actions: [releaseMachine, 'noteCause', 'closeAttempt', 'backOff'] },
                                                                  { target: '#failed', guard: 'current', actions: [releaseMachine, 'noteCause', 'closeAttempt'] }] },
                                   initial: 'starting', states: {
          'starting':            { id: 'starting',
                                   on:    { booted:               { target: 'running', guard: 'current', actions: 'noteStart' },
                                            cancel:               { target: '#canceled', guard: 'placeIfFirst', actions: ['noteCancel', 'signalWorker', releaseMachine, 'closeAttempt'] } },
                                   after: { startDeadline:       [{ target: 'starting', guard: 'startTimeLeft', reenter: true },
                                                                  { target: '#queued', guard: 'retriesLeft', actions: [releaseMachine, 'noteCause', 'closeAttempt', 'backOff'] },
                                                                  { target: '#failed', actions: [releaseMachine, 'noteCause', 'closeAttempt'] }] } },
          'running':             { on:    { progressed:          [{ target: '#failed', guard: 'currentBeyondBudget', actions: ['noteBudget', 'signalWorker', releaseMachine, 'closeAttempt'] },
                                                                  { guard: 'currentWithUsage', actions: ['countUsage', 'keepReports'] },
                                                                  { guard: 'current', actions: 'keepReports' }],
                                            completed:            { target: '#completed', guard: 'current', actions: ['noteStopReason', releaseMachine, 'closeAttempt'] },
                                            failed:               { target: '#failed', guard: 'current', actions: ['noteCause', releaseMachine, 'closeAttempt'] },
                                            toolResultNeeded:    [{ target: '#awaitingToolResult', guard: 'currentWithApprovals', actions: ['await', releaseMachine, 'closeAttempt', 'lookForDecisions'] },
                                                                  { target: '#awaitingToolResult', guard: 'current', actions: ['await', releaseMachine, 'closeAttempt'] }],
                                            delegateResultNeeded: { target: '#awaitingDelegateResult', guard: 'current', actions: ['await', releaseMachine, 'closeAttempt'] },
                                            cancel:              [{ target: '#canceled', guard: 'forced', actions: ['noteCancel', 'signalWorker', releaseMachine, 'closeAttempt'] },
                                                                  { target: '#canceling', guard: 'placeIfFirst', actions: ['noteCancel', 'requestStop', 'signalWorker'] }] },
                                   after: { activeDeadline:      [{ target: 'running', guard: 'activeTimeLeft', reenter: true },
                                                                  { target: '#failed', actions: ['noteTimeout', 'signalWorker', releaseMachine, 'closeAttempt'] }] } },
        } },
        'canceling':             { entry: 'breakOffCalls', id: 'canceling',
                                   on:    { progressed:          [{ guard: 'currentWithUsage', actions: ['countUsage', 'keepReports'] },
                                                                  { guard: 'current', actions: 'keepReports' }],
                                            reported:             { target: '#canceled', guard: 'current', actions: [releaseMachine, 'closeAttempt'] },
                                            attemptLost:          { target: '#canceled', guard: 'current', actions: [releaseMachine, 'closeAttempt'] },
                                            cancel:              [{ target: '#canceled', guard: 'forced', actions: ['noteCancel', 'signalWorker', releaseMachine, 'closeAttempt'] },
                                                                  { target: 'canceling', guard: 'placeIfFirst', actions: ['noteCancel', 'signalWorker'] }] },
                                   after: { cancelDeadline:       { target: '#canceled', actions: [releaseMachine, 'closeAttempt'] } } },
      } },
      paused:   {                  on:    { enqueue:              { guard: 'placeLeftBehind', actions: 'enqueue' },
                                            metered:              { guard: 'counted', actions: 'countUsage' },
                                            cancel:               { target: '#canceled', guard: 'placeIfFirst', actions: 'noteCancel' } },
                                   after: { awaitDeadline:        { target: '#expired' } },
                                   meta:  busy,
                                   initial: 'awaitingToolResult', states: {
        'awaitingToolResult':    { id: 'awaitingToolResult',
                                   on:    { continue:            [{ target: '#queued', guard: 'admittedWithAll', actions: ['openChain', 'becomeAvailable', 'withdrawApprovals'] },
                                                                  { guard: 'admittedWithSome', actions: ['keepResults', 'withdrawApprovals'] }],
                                            toolResult:          [{ target: '#queued', guard: 'lastTool', actions: ['keepResults', 'becomeAvailable'] },
                                                                  { guard: 'knownTool', actions: 'keepResults' }],
                                            callApproved:         { guard: 'knownApproval', actions: 'noteApproval' } },
                                   meta:  awaiting },
        'awaitingDelegateResult': { id: 'awaitingDelegateResult',
                                   on:    { delegateResult:      [{ target: '#queued', guard: 'lastDelegate', actions: ['keepResults', 'becomeAvailable'] },
                                                                  { guard: 'knownDelegate', actions: 'keepResults' }] },
                                   meta:  { refuses: { continue: { status: 400, code: 'run_awaiting_external_result', message: 'The run waits for the result of an external delegate.' } } } },
      } },
      terminal: {                  entry: 'noteEnd',
                                   on:    { metered:              { guard: 'counted', actions: 'countUsage' } },
                                   initial: 'resumable', states: {
        resumable: {               on:    { continue:             { target: '#queued', guard: 'admittedToContent', actions: ['openChain', 'becomeAvailable'] },
                                            enqueue:              { guard: 'othersWait', actions: ['enqueue', 'startNextInput'] } },
                                   meta:  ended,
                                   initial: 'completed', states: {
          'completed':           { entry: ['withdrawApprovals', 'startNextInput'], id: 'completed' },
          'failed':              { entry: ['withdrawApprovals', 'startNextInput'], id: 'failed' },
          'canceled':            { entry: ['forgetCause', 'breakOffCalls', 'startNextInput'], id: 'canceled',
                                   on:    { cancel:               { target: 'canceled', guard: 'placeIfFirst', actions: ['noteCancel', 'startNextInput'] } },
                                   meta:  { refuses: { cancel: full } } },
        } },
        'expired':               { entry: ['forgetCause', 'breakOffCalls', 'dropInputs'], id: 'expired' },
      } },
    },
  })
