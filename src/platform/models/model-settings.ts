/** What a model may be told besides its messages; anything else is a mistake. Source: contract 3, "settings of a model". */
import { Type } from '@sinclair/typebox'

const count = (description: string) => Type.Integer({ minimum: 1, maximum: 10_000_000, description })
const penalty = (description: string) => Type.Number({ minimum: -2, maximum: 2, description })

export const modelSettings = {
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2, description: 'How freely it chooses its words.' })),
  topP: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'Of which share of likely words it chooses.' }),
  ),
  topK: Type.Optional(count('Of how many likely words it chooses.')),
  maxOutputTokens: Type.Optional(count('How much it may say in one step.')),
  stopSequences: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 16, description: 'What ends its answer.' }),
  ),
  seed: Type.Optional(Type.Integer({ description: 'For answers that can be had again, where the vendor can.' })),
  presencePenalty: Type.Optional(penalty('Against words that were there already.')),
  frequencyPenalty: Type.Optional(penalty('Against words that were there often.')),
}
