/** Builds the vendor request of an agent's model step, both in process and in the server's gateway. */

import { sentSettings } from '../providers/sent-settings.ts'
import type { ModelAccess, StepRequest } from '../providers/step.ts'
import { outputInstructions } from './conversation/output.ts'
import type { AgentContent, ModelCall } from './protocol/protocol.ts'

/** The attempt's part of the request; the rest comes from the run. */
type AttemptInput = Pick<ModelCall, 'messages' | 'tools' | 'signal'> & Pick<StepRequest, 'trace'>

/** @param attempt the attempt's number in its chain, from 1 */
export function stepRequest(
  content: AgentContent,
  access: ModelAccess,
  attempt: number,
  input: AttemptInput,
): StepRequest {
  const { instructions, outputSchema, model } = content
  return {
    ...access,
    system: outputSchema ? instructions + outputInstructions(outputSchema) : instructions,
    messages: input.messages,
    tools: input.tools,
    ...(outputSchema ? { outputSchema } : {}),
    signal: input.signal,
    attempt,
    trace: input.trace ?? null,
    ...sentSettings(model?.settings ?? {}),
  }
}
