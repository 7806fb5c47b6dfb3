/**
 * One alert: a rule, and whether its condition holds. The actor's id is the rule's. A measurement may fluctuate around
 * its threshold; an alert still notifies only once that it fires and once that it is resolved.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import { effect, type Stamp } from './words.ts'

export const alertStates = ['ok', 'pending', 'firing', 'cooling', 'disabled'] as const

interface AlertSettings {
  /** How long the condition must hold before it fires, in milliseconds. */
  holdMs: number
  /** How long the condition must be over before the alert is resolved, in milliseconds. */
  coolDownMs: number
}

export interface AlertContext extends AlertSettings {
  /** When the condition began to hold; null while it does not. */
  heldSince: number | null
  /** When the condition ended, while the alert is not resolved yet. */
  overSince: number | null
  /** When the alert fired. */
  firingSince: number | null
  /** The last measurement: a count, or a percentage. */
  value: number | null
  /** Grows with each change of this context, for optimistic concurrency; omitted: 0. */
  moves?: number
}

/** A measurement; `seen`: the `moves` of the context when the rule was read for it. */
type Measurement = Stamp & { value: number; seen: number }

export type AlertEvent =
  /** The condition holds. */
  | (Measurement & { type: 'breached' })
  /** The condition does not hold. */
  | (Measurement & { type: 'cleared' })
  /** Another condition, or the given times. */
  | (Stamp & { type: 'change' } & Partial<AlertSettings>)
  /** Another name, or other recipients. */
  | (Stamp & { type: 'rename' })
  | (Stamp & { type: 'disable' })
  | (Stamp & { type: 'enable' })

type Given = { context: AlertContext; event: AlertEvent }

const measured = (event: AlertEvent) => ('value' in event ? event.value : null)

/** The condition may be another one since, and a later measurement may have been reported. */
const hasSeen = ({ context, event }: Given): boolean => 'seen' in event && event.seen === (context.moves ?? 0)

const counted = ({ moves = 0 }: AlertContext) => ({ moves: moves + 1 })

export const alertMachine = setup({
  types: {
    input: {} as AlertSettings,
    context: {} as AlertContext,
    events: {} as AlertEvent,
  },
  guards: {
    seen: hasSeen,
    seenAndFiresAtOnce: (given) => hasSeen(given) && given.context.holdMs === 0,
    seenAndHeldLongEnough: (given) =>
      hasSeen(given) && given.event.at - (given.context.heldSince ?? given.event.at) >= given.context.holdMs,
    seenAndEndsAtOnce: (given) => hasSeen(given) && given.context.coolDownMs === 0,
    seenAndOverLongEnough: (given) =>
      hasSeen(given) && given.event.at - (given.context.overSince ?? given.event.at) >= given.context.coolDownMs,
  },
  actions: {
    noteHeld: assign(({ context, event }) => ({ heldSince: event.at, value: measured(event), ...counted(context) })),
    noteFiring: assign(({ context, event }) => ({
      firingSince: event.at,
      value: measured(event),
      ...counted(context),
    })),
    noteOver: assign(({ context, event }) => ({ overSince: event.at, value: measured(event), ...counted(context) })),
    noteBack: assign(({ context, event }) => ({ overSince: null, value: measured(event), ...counted(context) })),
    forget: assign(({ context, event }) => ({
      heldSince: null,
      overSince: null,
      firingSince: null,
      value: measured(event),
      ...counted(context),
    })),
    /** Also of a name alone: a context that changes is stored, with the columns of the change. */
    takeSettings: assign(({ context, event }) => ({
      ...(event.type === 'change' && {
        holdMs: event.holdMs ?? context.holdMs,
        coolDownMs: event.coolDownMs ?? context.coolDownMs,
      }),
      ...counted(context),
    })),
    tellFiring: effect,
    tellResolved: effect,
  },
}).createMachine({
  id: 'alert',
  version: '1',
  context: ({ input }) => ({
    holdMs: input.holdMs,
    coolDownMs: input.coolDownMs,
    heldSince: null,
    overSince: null,
    firingSince: null,
    value: null,
  }),
  initial: 'ok',
  // biome-ignore format: the statechart reads as a table, a state downwards, its moves across
  states: {
    'ok':       { on: { breached: [{ target: 'firing', guard: 'seenAndFiresAtOnce', actions: ['noteHeld', 'noteFiring', 'tellFiring'] },
                                   { target: 'pending', guard: 'seen', actions: 'noteHeld' }],
                        change:    { target: 'ok', actions: 'takeSettings' },
                        rename:    { target: 'ok', actions: 'takeSettings' },
                        enable:    { target: 'ok' },
                        disable:   { target: 'disabled', actions: 'forget' } } },
    'pending':  { on: { breached:  { target: 'firing', guard: 'seenAndHeldLongEnough', actions: ['noteFiring', 'tellFiring'] },
                        cleared:   { target: 'ok', guard: 'seen', actions: 'forget' },
                        change:    { target: 'ok', actions: ['forget', 'takeSettings'] },
                        rename:    { target: 'pending', actions: 'takeSettings' },
                        enable:    { target: 'pending' },
                        disable:   { target: 'disabled', actions: 'forget' } } },
    'firing':   { on: { cleared:  [{ target: 'ok', guard: 'seenAndEndsAtOnce', actions: ['tellResolved', 'forget'] },
                                   { target: 'cooling', guard: 'seen', actions: 'noteOver' }],
                        change:    { target: 'ok', actions: ['tellResolved', 'forget', 'takeSettings'] },
                        rename:    { target: 'firing', actions: 'takeSettings' },
                        enable:    { target: 'firing' },
                        disable:   { target: 'disabled', actions: ['tellResolved', 'forget'] } } },
    'cooling':  { on: { breached:  { target: 'firing', guard: 'seen', actions: 'noteBack' },
                        cleared:   { target: 'ok', guard: 'seenAndOverLongEnough', actions: ['tellResolved', 'forget'] },
                        change:    { target: 'ok', actions: ['tellResolved', 'forget', 'takeSettings'] },
                        rename:    { target: 'cooling', actions: 'takeSettings' },
                        enable:    { target: 'cooling' },
                        disable:   { target: 'disabled', actions: ['tellResolved', 'forget'] } } },
    'disabled': { on: { enable:    { target: 'ok' },
                        rename:    { target: 'disabled', actions: 'takeSettings' },
                        change:    { target: 'disabled', actions: 'takeSettings' },
                        disable:   { target: 'disabled' } } },
  },
})

const path = '/api/v1/alert-rules/{alertRuleId}'

/** Descriptions of the alert's statechart. */
export const alertChart = {
  title: 'Alert',
  about:
    'A rule, and whether its condition holds. It is `pending` until the condition has held for `holdMinutes`, then ' +
    '`firing`, and `cooling` until the condition has been over for `resolveAfterMinutes`. An alert notifies once that it ' +
    'fires and once that it is resolved. A change of the condition or of the times starts it again.',
  machine: alertMachine,
  input: { holdMs: 0, coolDownMs: 300_000 },
  events: {
    create: { by: 'command', says: '`POST /api/v1/alert-rules`.' },
    breached: { by: 'server', says: 'The condition holds. The server evaluates it once a minute.' },
    cleared: { by: 'server', says: 'The condition does not hold.' },
    change: { by: 'command', says: `\`PATCH ${path}\` with another condition, or other times.` },
    rename: { by: 'command', says: `\`PATCH ${path}\` with only another name, or other recipients.` },
    disable: { by: 'command', says: `\`PATCH ${path}\` with \`enabled: false\`; also before the rule is deleted.` },
    enable: { by: 'command', says: `\`PATCH ${path}\` with \`enabled: true\`.` },
  },
  guards: {
    seen: 'The alert has not changed since it was measured.',
    seenAndFiresAtOnce: 'The alert has not changed since it was measured, and the rule has no `holdMinutes`.',
    seenAndHeldLongEnough:
      'The alert has not changed since it was measured, and the condition has held for `holdMinutes`.',
    seenAndEndsAtOnce: 'The alert has not changed since it was measured, and the rule has no `resolveAfterMinutes`.',
    seenAndOverLongEnough:
      'The alert has not changed since it was measured, and the condition has been over for `resolveAfterMinutes`.',
  },
  deadlines: {},
  effects: {
    tellFiring: 'Records `alert.firing` for webhooks and sends mails, as the rule selects.',
    tellResolved: 'Records `alert.resolved` for webhooks and sends mails, as the rule selects.',
  },
} satisfies ChartOf<typeof alertMachine>
