/** What a vendor is told for an agent, with whose key: the same in process and through the server's gateway. */

import { sentSettings } from '../providers/sent-settings.ts'
import type { ModelAccess, StepRequest } from '../providers/step.ts'
import { outputInstructions } from './conversation/output.ts'
import type { AgentContent, ModelCall } from './protocol/protocol.ts'

/** What an attempt says itself; the rest is settled by the run that it belongs to. */
type Asked = Pick<ModelCall, 'messages' | 'tools' | 'signal'>

/** @param attempt position in the attempt chain, from 1 */
export function stepRequest(content: AgentContent, access: ModelAccess, attempt: number, asked: Asked): StepRequest {
  const { instructions, outputSchema, model } = content
  return {
    ...access,
    system: outputSchema ? instructions + outputInstructions(outputSchema) : instructions,
    messages: asked.messages,
    tools: asked.tools,
    ...(outputSchema ? { outputSchema } : {}),
    signal: asked.signal,
    attempt,
    ...sentSettings(model?.settings ?? {}),
  }
}
