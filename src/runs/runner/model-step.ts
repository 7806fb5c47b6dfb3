/** Reads the stream of one model step. */
import type { StopReason } from '../../../machines/run.ts'
import { ProviderFailure } from '../providers/errors.ts'
import type { StepFinish, StepPart } from '../providers/step.ts'
import type { DeltaStream } from './deltas.ts'
import { type Interruption, interrupted, orInterrupted } from './interruption.ts'

export interface ModelAnswer {
  text: string
  /** All streamed text: answer, reasoning and tool inputs. */
  streamed: string
  /** null: the step was interrupted, and the text is partial. */
  finish: StepFinish | null
}

/**
 * Reads a step to its end or its interruption; `callIdOf` gives a call its id in the run. Throws the step's errors, and
 * `invalid_model_output` if it ends without a finish.
 */
export async function readModelStep(
  parts: AsyncIterable<StepPart>,
  deltas: DeltaStream,
  interruption: Interruption,
  callIdOf: (vendorId: string) => string,
): Promise<ModelAnswer> {
  const answer: ModelAnswer = { text: '', streamed: '', finish: null }
  const reading = read(parts, deltas, interruption, callIdOf, answer)
  try {
    const read = await orInterrupted(reading, interruption.signal)
    // A step that ignores its signal is not awaited.
    if (read === interrupted) return { ...answer }
  } catch (error) {
    if (interruption.reason) return { ...answer, finish: null }
    throw error
  } finally {
    deltas.close()
  }
  if (!answer.finish && !interruption.reason) throw unusable('The model stopped before it finished its answer.')
  return answer
}

async function read(
  parts: AsyncIterable<StepPart>,
  deltas: DeltaStream,
  interruption: Interruption,
  callIdOf: (vendorId: string) => string,
  answer: ModelAnswer,
): Promise<void> {
  for await (const part of parts) {
    if (interruption.reason) return
    switch (part.type) {
      case 'text':
        answer.text += part.text
        answer.streamed += part.text
        deltas.append('text', part.text)
        break
      case 'reasoning':
        answer.streamed += part.text
        deltas.append('reasoning', part.text)
        break
      case 'toolInput':
        answer.streamed += part.text
        deltas.append('toolInput', part.text, { toolCallId: callIdOf(part.toolCallId), toolName: part.toolName })
        break
      case 'finish':
        answer.finish = part
    }
    const pause = deltas.pause()
    if (pause) await pause
  }
}

/** The stop reason of a step without calls. Throws if the step announced calls. */
export function stopReasonOf({ finishReason }: StepFinish): StopReason {
  if (finishReason === 'tool-calls') throw unusable('The model announced tool calls and made none.')
  if (finishReason === 'length') return 'max_output_tokens'
  return finishReason === 'content-filter' ? 'content_filter' : 'end_turn'
}

const unusable = (message: string) => new ProviderFailure('invalid_model_output', message, { retryable: true })
