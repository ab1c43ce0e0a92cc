import { useEffect, useState } from 'preact/hooks';

/** A phone: the width under which the style sheets turn tables into cards. */
const phone = matchMedia('(max-width: 40rem)');

/** Whether the page is as narrow as on a phone, also once that changes. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(phone.matches);
  useEffect(() => {
    const follow = () => setNarrow(phone.matches);
    phone.addEventListener('change', follow);
    return () => phone.removeEventListener('change', follow);
  }, []);
  return isNarrow;
}
