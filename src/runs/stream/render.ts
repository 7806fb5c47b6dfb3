/** Frames as bytes of an event stream, written once for all who read them. Source: contract 5, "Stream". */
import { revokedEvent } from '../../platform/http/guard/open-stream.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { PresentedRun, PresentedStep } from '../present.ts'
import { type Frame, type FrameType, frameBody } from './frames.ts'

/** What a stream can carry, as the filter `types` names it. */
export const streamTypes = [
  'run.snapshot',
  'run.transition',
  'step.started',
  'step.delta',
  'step.completed',
  'step.failed',
  'checkpoint.created',
  'input.requested',
  'end',
] as const satisfies readonly (FrameType | 'run.snapshot')[]
export type StreamType = (typeof streamTypes)[number]

export interface RenderedFrame {
  sequence: number
  type: FrameType
  /** False for what tells of a step below a root step. */
  root: boolean
  bytes: Uint8Array
}

/** Where a run stands: what a reader needs that has nothing before `lastSequence`. */
export interface RunSnapshot {
  run: PresentedRun
  openSteps: PresentedStep[]
  lastSequence: number
  /** Whether the run has ended, so that only a continue brings more. */
  ended: boolean
}

const encoder = new TextEncoder()

export const revoked = (at: number): Uint8Array => encoder.encode(revokedEvent(at))

export const reconnect = encoder.encode('retry: 2000\n\n')
export const keepAlive = encoder.encode(': keep-alive\n\n')

const message = (id: number, event: string, data: object) =>
  encoder.encode(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)

export const renderFrame = (frame: Frame): RenderedFrame => ({
  sequence: frame.sequence,
  type: frame.type,
  root: frame.agentStepId === undefined || frame.root === true,
  bytes: message(frame.sequence, frame.type, frameBody(frame)),
})

/** A snapshot takes no number of its own; `gap` says that the reader has missed something. */
export const renderSnapshot = ({ run, openSteps, lastSequence }: RunSnapshot, gap: boolean, at: number): Uint8Array =>
  message(lastSequence, 'run.snapshot', {
    sequence: lastSequence,
    at: timestamp(at),
    attempt: run.attempt,
    data: { run, openSteps, lastSequence, gap },
  })

export function join(chunks: readonly Uint8Array[]): Uint8Array {
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)
}
