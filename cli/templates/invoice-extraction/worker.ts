/**
 * The books of the invoice reader: each invoice becomes one line of invoices.csv. `troupe dev` serves it, and so does:
 * troupe worker worker.ts --on invoice-extraction/development
 */
import { existsSync } from 'node:fs'
import { appendFile, readFile } from 'node:fs/promises'

export const queue = 'invoice-extraction'

const file = 'invoices.csv'
const heading = 'supplier,number,date,currency,total'
const cell = (value: unknown) => `"${String(value ?? '').replaceAll('"', '""')}"`

interface Invoice {
  supplier: string
  number: string
  date?: string
  currency?: string
  total: number
}

export const operations = {
  'books.record': async ({ supplier, number, date, currency, total }: Invoice) => {
    const key = `${cell(supplier)},${cell(number)},`
    const before = existsSync(file) ? await readFile(file, 'utf8') : ''
    if (before.split('\n').some((line) => line.startsWith(key))) return { recorded: false, why: 'It is there already.' }
    if (before === '') await appendFile(file, `${heading}\n`)
    await appendFile(file, `${key}${cell(date)},${cell(currency)},${total}\n`)
    return { recorded: true }
  },
}
