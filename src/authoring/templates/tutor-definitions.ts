/** The tutor's records about a learner. */
import { recording } from './operations.ts'
import type { TemplateDefinition } from './template.ts'

export const tutorDefinitions: readonly TemplateDefinition[] = [
  {
    name: 'progress',
    kind: 'operations',
    description: 'Puts on record what a learner can do, so that it can be read from the steps of the lesson.',
    source: {
      operations: [
        recording({
          name: 'record',
          description: 'Puts on record how well the learner can do one thing. It goes to nobody and changes nothing.',
          takes: {
            skill: {
              type: 'string',
              minLength: 1,
              maxLength: 200,
              description: 'What can be done, such as "add fractions with different denominators".',
            },
            level: {
              type: 'string',
              enum: ['not-yet', 'with-help', 'alone'],
              description: 'As the last tasks have shown.',
            },
            evidence: {
              type: 'string',
              minLength: 1,
              maxLength: 500,
              description: 'The task, and what the learner did with it.',
            },
          },
        }),
      ],
    },
  },
]
