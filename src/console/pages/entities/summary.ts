/** One-line summary of an entity's data. Pure. */

const fieldsMax = 4
const textMax = 40

const cut = (text: string) => (text.length > textMax ? `${text.slice(0, textMax - 1)}…` : text)

/** `customer: Ada · total: 10 · items: 3 entries` */
export function summaryOf(data: Record<string, unknown>): string {
  const entries = Object.entries(data)
  const shown = entries.slice(0, fieldsMax).map(([name, value]) => `${cut(name)}: ${valueText(value)}`)
  return [...shown, ...(entries.length > fieldsMax ? ['…'] : [])].join(' · ')
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.length === 1 ? '1 entry' : `${value.length} entries`
  if (typeof value === 'object' && value !== null) return '{ … }'
  return cut(String(value))
}
