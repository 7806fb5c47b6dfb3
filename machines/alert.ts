/**
 * One alert: a rule, and whether what it watches for is the case. The actor's id is the rule's. What is watched comes and goes
 * around its threshold; a rule tells once that it fires and once that it is over, however often that happens in between.
 */
import { assign, setup } from 'xstate'
import type { ChartOf } from './charts/chart.ts'
import { effect, type Stamp } from './words.ts'

export const alertStates = ['ok', 'pending', 'firing', 'cooling', 'disabled'] as const
export type AlertState = (typeof alertStates)[number]

export interface AlertSettings {
  /** How long the condition must hold before it fires, in milliseconds. */
  holdMs: number
  /** How long it must be over before that is told. */
  coolDownMs: number
}

export interface AlertContext extends AlertSettings {
  /** Since when the condition has held; null while it does not. */
  heldSince: number | null
  /** Since when it has been over, while that is not told yet. */
  overSince: number | null
  /** Since when it fires. */
  firingSince: number | null
  /** What was measured last: a count, or a percentage. */
  value: number | null
}

export type AlertEvent =
  /** The condition holds. */
  | (Stamp & { type: 'breached'; value: number })
  /** It does not. */
  | (Stamp & { type: 'cleared'; value: number })
  | (Stamp & { type: 'change' } & AlertSettings)
  /** Another name, or others to tell. */
  | (Stamp & { type: 'rename' })
  | (Stamp & { type: 'disable' })
  | (Stamp & { type: 'enable' })

const measured = (event: AlertEvent) => ('value' in event ? event.value : null)

export const alertMachine = setup({
  types: {
    input: {} as AlertSettings,
    context: {} as AlertContext,
    events: {} as AlertEvent,
  },
  guards: {
    firesAtOnce: ({ context }) => context.holdMs === 0,
    heldLongEnough: ({ context, event }) => event.at - (context.heldSince ?? event.at) >= context.holdMs,
    endsAtOnce: ({ context }) => context.coolDownMs === 0,
    overLongEnough: ({ context, event }) => event.at - (context.overSince ?? event.at) >= context.coolDownMs,
  },
  actions: {
    noteHeld: assign(({ event }) => ({ heldSince: event.at, value: measured(event) })),
    noteFiring: assign(({ event }) => ({ firingSince: event.at, value: measured(event) })),
    noteOver: assign(({ event }) => ({ overSince: event.at, value: measured(event) })),
    noteBack: assign(({ event }) => ({ overSince: null, value: measured(event) })),
    forget: assign(({ event }) => ({ heldSince: null, overSince: null, firingSince: null, value: measured(event) })),
    takeSettings: assign(({ event }) =>
      event.type === 'change' ? { holdMs: event.holdMs, coolDownMs: event.coolDownMs } : {},
    ),
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
    'ok':       { on: { breached: [{ target: 'firing', guard: 'firesAtOnce', actions: ['noteHeld', 'noteFiring', 'tellFiring'] },
                                   { target: 'pending', actions: 'noteHeld' }],
                        change:    { target: 'ok', actions: 'takeSettings' },
                        rename:    { target: 'ok' },
                        enable:    { target: 'ok' },
                        disable:   { target: 'disabled', actions: 'forget' } } },
    'pending':  { on: { breached:  { target: 'firing', guard: 'heldLongEnough', actions: ['noteFiring', 'tellFiring'] },
                        cleared:   { target: 'ok', actions: 'forget' },
                        change:    { target: 'ok', actions: ['forget', 'takeSettings'] },
                        rename:    { target: 'pending' },
                        enable:    { target: 'pending' },
                        disable:   { target: 'disabled', actions: 'forget' } } },
    'firing':   { on: { cleared:  [{ target: 'ok', guard: 'endsAtOnce', actions: ['tellResolved', 'forget'] },
                                   { target: 'cooling', actions: 'noteOver' }],
                        change:    { target: 'ok', actions: ['tellResolved', 'forget', 'takeSettings'] },
                        rename:    { target: 'firing' },
                        enable:    { target: 'firing' },
                        disable:   { target: 'disabled', actions: ['tellResolved', 'forget'] } } },
    'cooling':  { on: { breached:  { target: 'firing', actions: 'noteBack' },
                        cleared:   { target: 'ok', guard: 'overLongEnough', actions: ['tellResolved', 'forget'] },
                        change:    { target: 'ok', actions: ['tellResolved', 'forget', 'takeSettings'] },
                        rename:    { target: 'cooling' },
                        enable:    { target: 'cooling' },
                        disable:   { target: 'disabled', actions: ['tellResolved', 'forget'] } } },
    'disabled': { on: { enable:    { target: 'ok' },
                        rename:    { target: 'disabled' },
                        change:    { target: 'disabled', actions: 'takeSettings' },
                        disable:   { target: 'disabled' } } },
  },
})

const path = '/api/v1/alert-rules/{alertRuleId}'

/** Descriptions of the alert's statechart. */
export const alertChart = {
  title: 'Alert',
  about:
    'A rule, and whether what it watches for is the case. It is `pending` while the condition holds and its time is not over ' +
    'yet, `firing` from then on, and `cooling` while the condition is over and may come back. That it fires is told once, ' +
    'and that it is over is told once. A rule that is changed begins anew.',
  machine: alertMachine,
  input: { holdMs: 0, coolDownMs: 300_000 },
  events: {
    create: { by: 'command', says: '`POST /api/v1/alert-rules`.' },
    breached: { by: 'server', says: 'The condition holds. The server looks once a minute.' },
    cleared: { by: 'server', says: 'The condition does not hold.' },
    change: { by: 'command', says: `\`PATCH ${path}\` with another condition, or other times.` },
    rename: { by: 'command', says: `\`PATCH ${path}\` with nothing but another name, or others to tell.` },
    disable: { by: 'command', says: `\`PATCH ${path}\` with \`enabled: false\`; also before the rule is deleted.` },
    enable: { by: 'command', says: `\`PATCH ${path}\` with \`enabled: true\`.` },
  },
  guards: {
    firesAtOnce: 'The rule asks for no time that the condition must hold.',
    heldLongEnough: 'The condition has held for the time that the rule asks for.',
    endsAtOnce: 'The rule asks for no time that the condition must be over.',
    overLongEnough: 'The condition has been over for the time that the rule asks for.',
  },
  deadlines: {},
  effects: {
    tellFiring: 'Records `alert.firing` for webhooks, and mails, as the rule says.',
    tellResolved: 'Records `alert.resolved`, and mails.',
  },
} satisfies ChartOf<typeof alertMachine>
