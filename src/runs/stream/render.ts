/** Renders frames as server-sent events, once for all readers. Source: contract 5, "Stream". */
import { revokedEvent } from '../../platform/http/guard/open-stream.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { PresentedRun, PresentedStep } from '../present.ts'
import { type Frame, type FrameType, frameBody } from './frames.ts'

/** The event types of a stream, as in the filter `types`. */
export const streamTypes = [
  'run.snapshot',
  'run.transition',
  'step.started',
  'step.delta',
  'step.completed',
  'step.failed',
  'checkpoint.created',
  'input.requested',
  'budget.warning',
  'end',
] as const satisfies readonly (FrameType | 'run.snapshot')[]
export type StreamType = (typeof streamTypes)[number]

export interface RenderedFrame {
  sequence: number
  type: FrameType
  /** false for frames about child steps. */
  root: boolean
  text: string
}

/** The state of a run, for a reader that has missed frames up to `lastSequence`. */
export interface RunSnapshot {
  run: PresentedRun
  openSteps: PresentedStep[]
  lastSequence: number
  /** Whether the run has ended, so that only a continue adds frames. */
  ended: boolean
}

const encoder = new TextEncoder()

export const revoked = (at: number): Uint8Array => encoder.encode(revokedEvent(at))

export const reconnect = encoder.encode('retry: 2000\n\n')
export const keepAlive = encoder.encode(': keep-alive\n\n')

const message = (id: number, event: string, data: object) =>
  `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`

export const renderFrame = (frame: Frame): RenderedFrame => ({
  sequence: frame.sequence,
  type: frame.type,
  root: frame.agentStepId === undefined || frame.root === true,
  text: message(frame.sequence, frame.type, frameBody(frame)),
})

/** Encodes frames all at once: one by one costs several times as much. */
export const bytesOf = (frames: readonly RenderedFrame[]): Uint8Array =>
  encoder.encode(frames.length === 1 ? (frames[0] as RenderedFrame).text : frames.map(({ text }) => text).join(''))

/** A snapshot has no number of its own; `gap` tells the reader that it missed frames. */
export const renderSnapshot = ({ run, openSteps, lastSequence }: RunSnapshot, gap: boolean, at: number): Uint8Array =>
  encoder.encode(
    message(lastSequence, 'run.snapshot', {
      sequence: lastSequence,
      at: timestamp(at),
      attempt: run.attempt,
      data: { run, openSteps, lastSequence, gap },
    }),
  )

export function join(chunks: readonly Uint8Array[]): Uint8Array {
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)
}
