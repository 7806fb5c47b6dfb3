/** The settings of a model; others are refused. Source: contract 3, "settings of a model". */
import { Type } from '@sinclair/typebox'

const count = (description: string) => Type.Integer({ minimum: 1, maximum: 10_000_000, description })
const penalty = (description: string) => Type.Number({ minimum: -2, maximum: 2, description })

export const modelSettings = {
  temperature: Type.Optional(Type.Number({ minimum: 0, maximum: 2, description: 'Sampling temperature.' })),
  topP: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: 'Nucleus sampling: the probability mass to sample from.' }),
  ),
  topK: Type.Optional(count('The number of most likely tokens to sample from.')),
  maxOutputTokens: Type.Optional(count('The most output tokens of one step.')),
  stopSequences: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
      maxItems: 16,
      description: 'Sequences that end the output.',
    }),
  ),
  seed: Type.Optional(Type.Integer({ description: 'Seed for reproducible output, if the vendor supports it.' })),
  presencePenalty: Type.Optional(penalty('Penalty for tokens that have already occurred.')),
  frequencyPenalty: Type.Optional(penalty('Penalty for tokens by how often they have occurred.')),
}
