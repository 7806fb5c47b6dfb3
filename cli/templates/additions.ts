/** Additions to templates without operations of their own: an operation that the folder's worker.ts executes. */
import type { OperationsSource } from '../../src/authoring/definitions/source.ts'

interface Addition {
  definition: string
  description: string
  operation: Omit<OperationsSource['operations'][number], 'handler'>
  /** The Agent that gets the operation as a tool, the name of the tool, and its part of the instructions. */
  agent: string
  tool: string
  says: string
}

const text = (description: string, maxLength = 500) => ({ type: 'string', minLength: 1, maxLength, description })
const object = (properties: Record<string, object>, ...required: string[]) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})

/** By the slug of the template. */
export const additions: Record<string, Addition> = {
  'research-team': {
    definition: 'library',
    description: 'Searches the texts of this folder.',
    operation: {
      name: 'search',
      description: 'Searches the library for words; gives the files that have most of them, with an excerpt each.',
      inputSchema: object({ words: text('A few words, without quotes.', 200) }, 'words'),
      effect: 'read',
      idempotent: true,
      approval: 'never',
    },
    agent: 'researcher',
    tool: 'search_library',
    says: 'Search the library with search_library before you rely on what you know, and name the file of what you took from it.',
  },
  'invoice-extraction': {
    definition: 'books',
    description: 'Records invoices in this folder.',
    operation: {
      name: 'record',
      description: 'Records an invoice that was read completely; one that is there already is left as it is.',
      inputSchema: object(
        {
          supplier: text('Who has sent it.', 200),
          number: text('Its number, as printed.', 100),
          date: text('Its date, as YYYY-MM-DD.', 10),
          currency: text('Three capitals.', 3),
          total: { type: 'number', description: 'What is to be paid.' },
        },
        'supplier',
        'number',
        'total',
      ),
      effect: 'write',
      idempotent: true,
      approval: 'never',
    },
    agent: 'invoice-reader',
    tool: 'record_invoice',
    says: 'When supplier, number and total are certain, record the invoice with record_invoice before you answer.',
  },
  'meeting-summarizer': {
    definition: 'tasks',
    description: 'Keeps the tasks of meetings in this folder.',
    operation: {
      name: 'add',
      description: 'Adds one task that was agreed on.',
      inputSchema: object(
        {
          task: text('What is to be done.'),
          who: text('Who does it, as the notes call them.', 100),
          until: text('By when, if that was said.', 100),
        },
        'task',
      ),
      effect: 'write',
      idempotent: false,
      approval: 'never',
    },
    agent: 'meeting-summarizer',
    tool: 'add_task',
    says: 'Add each task that was agreed on with add_task, once, before you answer.',
  },
}
