/** One model step as it streams. */
import type { StopReason } from '../../../machines/run.ts'
import { ProviderFailure } from '../providers/errors.ts'
import type { StepFinish, StepPart } from '../providers/step.ts'
import type { DeltaStream } from './deltas.ts'
import { type Interruption, interrupted, orInterrupted } from './interruption.ts'

export interface ModelAnswer {
  text: string
  /** Everything that had come: text, reasoning and the inputs of tools. */
  streamed: string
  /** Null: the step was interrupted, and the text is what had come by then. */
  finish: StepFinish | null
}

/**
 * Reads a step to its end, or to the interruption. Throws what the step throws, and `invalid_model_output` for one that
 * ends without a word about how.
 */
export async function readModelStep(
  parts: AsyncIterable<StepPart>,
  deltas: DeltaStream,
  interruption: Interruption,
): Promise<ModelAnswer> {
  const answer: ModelAnswer = { text: '', streamed: '', finish: null }
  const reading = read(parts, deltas, interruption, answer)
  try {
    const read = await orInterrupted(reading, interruption.signal)
    // What a step that doesn't heed its signal still says is not waited for.
    if (read === interrupted) return { ...answer }
  } catch (error) {
    if (interruption.reason) return { ...answer, finish: null }
    throw error
  } finally {
    deltas.close()
  }
  if (!answer.finish && !interruption.reason) throw unusable('The model ended without finishing its answer.')
  return answer
}

async function read(
  parts: AsyncIterable<StepPart>,
  deltas: DeltaStream,
  interruption: Interruption,
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
        deltas.append('toolInput', part.text, { toolCallId: part.toolCallId, toolName: part.toolName })
        break
      case 'finish':
        answer.finish = part
    }
    const pause = deltas.pause()
    if (pause) await pause
  }
}

/** Why a step without calls is the last one. Throws when it announces calls that it doesn't make. */
export function stopReasonOf({ finishReason }: StepFinish): StopReason {
  if (finishReason === 'tool-calls') throw unusable('The model announced tool calls and made none.')
  if (finishReason === 'length') return 'max_output_tokens'
  return finishReason === 'content-filter' ? 'content_filter' : 'end_turn'
}

const unusable = (message: string) => new ProviderFailure('invalid_model_output', message, { retryable: true })
