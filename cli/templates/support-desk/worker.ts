/**
 * The shop behind the support desk, in one file: orders are in orders.json, and cases are appended to cases.jsonl. Put your
 * own shop in their place. `troupe dev` serves it, and so does: troupe worker worker.ts --on support-desk/development
 */
import { existsSync } from 'node:fs'
import { appendFile, readFile, writeFile } from 'node:fs/promises'

export const queue = 'support-desk'

interface Order {
  orderNumber: string
  email: string
  placedAt: string
  paid: number
  items: string[]
  parcel: string
}

const file = 'orders.json'
const examples: Order[] = [
  {
    orderNumber: 'A-17',
    email: 'ada@example.com',
    placedAt: '2026-10-02',
    paid: 42,
    items: ['Desk lamp'],
    parcel: 'On its way since 4 October; last seen in Leipzig.',
  },
  {
    orderNumber: 'B-4',
    email: 'ada@example.com',
    placedAt: '2026-09-11',
    paid: 12.5,
    items: ['Light bulb', 'Socket'],
    parcel: 'Delivered on 14 September.',
  },
]

async function orders(): Promise<Order[]> {
  if (!existsSync(file)) await writeFile(file, `${JSON.stringify(examples, null, 2)}\n`)
  return JSON.parse(await readFile(file, 'utf8')) as Order[]
}

export const operations = {
  'orders.find': async ({ orderNumber }: { orderNumber: string }) =>
    (await orders()).find((order) => order.orderNumber === orderNumber) ?? { found: false },

  'orders.of-customer': async ({ email, limit = 5 }: { email: string; limit?: number }) => ({
    orders: (await orders()).filter((order) => order.email === email).slice(0, limit),
  }),

  'desk.record-case': async (recorded: object) => {
    await appendFile('cases.jsonl', `${JSON.stringify({ at: new Date().toISOString(), ...recorded })}\n`)
    return { recorded: true }
  },
}
