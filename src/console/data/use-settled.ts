/** Debounces a value. */
import { useEffect, useState } from 'react'

/** The latest value that has not changed for `afterMs`; the first one at once. */
export function useSettled<Value>(value: Value, afterMs: number): Value {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), afterMs)
    return () => clearTimeout(timer)
  }, [value, afterMs])
  return settled
}
