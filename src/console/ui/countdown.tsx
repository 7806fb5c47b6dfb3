/** Time until an instant, updated every second. */
import { useEffect, useState } from 'react'
import { durationText } from './time.tsx'

export function Countdown({ to }: { to: string }) {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const left = Date.parse(to) - now
  if (left <= 0) return <span className="number">now</span>
  const rounded = Math.ceil(left / 1_000) * 1_000
  return <span className="number">in {rounded < 60_000 ? `${rounded / 1_000} s` : durationText(rounded)}</span>
}
