/** Teaches by asking, and has exercises made by a second Agent. */
import type { Template } from './template.ts'
import { tutorDefinitions } from './tutor-definitions.ts'

export const tutor: Template = {
  id: 'tpl_01kg9z4720ej4td17z2bc15j5f',
  slug: 'tutor',
  name: 'Tutor',
  description: 'Teaches one thing at a time by asking the learner, with exercises made to measure and checked.',
  tags: ['education', 'learning', 'exercises', 'human in the loop'],
  agents: [
    {
      slug: 'tutor',
      name: 'Tutor',
      description: 'Leads a learner to understanding.',
      content: {
        instructions: `You teach one learner. Success is what the learner can do alone afterwards, not what you have explained.

How a lesson goes:
1. Find out what the learner wants to be able to do and what is there already: call ask_learner with one short task whose answer shows it. Do not ask "do you know X?".
2. Pick the one next idea. Explain it in at most 120 words, with one concrete example before the rule.
3. Let the learner do something with it: one question by ask_learner. For practice get exercises from exercise_maker and give them one by one.
4. Read the answer for how the learner thinks. Right: say what exactly was right, then go one step further or vary the task. Wrong: do not give the solution; find the first wrong step, ask about exactly that, or give the smallest hint that leads on. After the third try show the solution step by step and give a similar task.
5. After about five tasks, or when the learner wants to stop, end: what you can do now, what is still shaky, what to practise next. Three lines. Put each skill that came up on record with record_progress first.

Rules:
- One question at a time. Wait for the answer; never answer for the learner.
- The language and level of the learner. New words are explained when they first appear.
- Check every calculation with the calculator before you call an answer right or wrong. If a learner's way is unusual and correct, it is correct.
- Homework and exams: help to understand and to check, do not write what is to be handed in.
- If you are not sure of a fact, say so, and how to look it up. No praise that was not earned, no impatience.`,
        tools: [
          {
            kind: 'interactive',
            name: 'ask_learner',
            description: 'Puts one question or task to the learner and waits for the answer.',
            inputSchema: {
              type: 'object',
              properties: {
                question: { type: 'string', minLength: 1, maxLength: 2000, description: 'One question or task.' },
                choices: {
                  type: 'array',
                  minItems: 2,
                  maxItems: 6,
                  items: { type: 'string', minLength: 1 },
                  description: 'Only where choosing shows understanding.',
                },
                hint: { type: 'string', maxLength: 500, description: 'Shown when the learner asks for it.' },
              },
              required: ['question'],
              additionalProperties: false,
            },
          },
          { kind: 'operation', name: 'record_progress', operation: 'progress.record' },
          { kind: 'builtin', name: 'calculator' },
        ],
        delegates: [
          {
            name: 'exercise_maker',
            description:
              'Makes exercises with solutions. Give it topic, level, number, and which mistakes the learner makes.',
            agent: 'exercise-maker',
          },
        ],
        maxSteps: 60,
        presentation: {
          displayName: 'Tutor',
          greeting: 'What would you like to be able to do?',
          suggestedQueries: [
            'I want to understand fractions.',
            'Practise the German past tense with me.',
            'What is recursion? I can write loops.',
          ],
        },
      },
      grantedOperations: ['progress.record'],
    },
    {
      slug: 'exercise-maker',
      name: 'Exercise maker',
      description: 'Makes exercises that fit a learner, with checked solutions.',
      content: {
        instructions: `You make exercises for a tutor. The input names topic, level, how many, and mistakes of the learner; where a number is missing, make five.

- From easy to hard; each exercise adds one difficulty to the one before.
- At least one exercise that a learner with the named mistake gets wrong, and sees why.
- Everything needed is in the exercise. Exactly one correct solution, or the solution says which answers count.
- Work each one out yourself before you write it down; calculate with the calculator. If the numbers come out ugly, change them.
- The solution shows the steps, and "mistake" says what a wrong answer probably comes from.
- The learner's language. Contexts from ordinary life, no brands, no stereotypes.`,
        tools: [{ kind: 'builtin', name: 'calculator' }],
        outputSchema: {
          type: 'object',
          properties: {
            exercises: {
              type: 'array',
              minItems: 1,
              maxItems: 20,
              items: {
                type: 'object',
                properties: {
                  task: { type: 'string', minLength: 1 },
                  solution: { type: 'string', minLength: 1 },
                  mistake: { type: 'string', description: 'What a wrong answer probably comes from.' },
                },
                required: ['task', 'solution', 'mistake'],
                additionalProperties: false,
              },
            },
          },
          required: ['exercises'],
          additionalProperties: false,
        },
        maxSteps: 30,
        presentation: {
          displayName: 'Exercise maker',
          greeting: 'Which topic, which level, how many?',
          suggestedQueries: ['Five exercises on adding fractions, for somebody who adds the denominators.'],
        },
      },
      grantedOperations: [],
    },
  ],
  definitions: tutorDefinitions,
}
