/** The filters and the open item of a page, kept in the address, so that it can be bookmarked and shared. */
import { useSearchParams } from 'wouter'

const valueMax = 500

export function useAddressQuery<Name extends string>(...names: Name[]) {
  const [params, setParams] = useSearchParams()
  const values = Object.fromEntries(names.map((name) => [name, (params.get(name) ?? '').slice(0, valueMax)])) as Record<
    Name,
    string
  >
  return {
    /** An empty text for what is not there. */
    values,
    /** Whether any of these narrows the list. */
    isNarrowed: (...narrowing: Name[]) => narrowing.some((name) => values[name] !== ''),
    /** An empty value takes it away. */
    change(changes: Partial<Record<Name, string>>): void {
      setParams(
        (now) => {
          const next = new URLSearchParams(now)
          for (const [name, value] of Object.entries(changes) as [Name, string][]) {
            if (value) next.set(name, value)
            else next.delete(name)
          }
          return next
        },
        { replace: true },
      )
    },
  }
}

/** One of these words, or undefined: an address may say anything. */
export const oneOfThese = <Word extends string>(words: readonly Word[], text: string): Word | undefined =>
  words.find((word) => word === text)
