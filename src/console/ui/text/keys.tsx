/** Keys of a shortcut, as they are written on a keyboard. */
import './keys.css'

export const Keys = ({ keys }: { keys: readonly string[] }) => (
  <span className="keys">
    {keys.map((key, place) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a key may be pressed twice
      <kbd key={place}>{key.length === 1 ? key.toUpperCase() : key}</kbd>
    ))}
  </span>
)
