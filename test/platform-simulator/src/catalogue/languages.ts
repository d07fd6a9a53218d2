import { hashText, mix32, pick, seed } from '../seeded-hash.ts';

/**
 * The platform's language words and the syllables their words are made of. English texts are the
 * originals; every other language writes each word with its own syllables, so texts differ per
 * language, stay the same from run to run, and weigh what that script weighs on the wire.
 */
const syllables = {
  arabic: 'نو سا را مي كا لو با دي تا حر فض زم',
  brazilian: 'ção ves lha bra nho ei ra so pé mun do ja',
  bulgarian: 'жел ъг ста мир щит въ рен зла ко дру бял сив',
  czech: 'stř ěk oce hvě lou že ka pře ný zim hra bý',
  danish: 'sk ær stø lys røg vin ter gå mør ken dag sø',
  dutch: 'ijs ker goud vuur ber gen licht schi laa nen wol oor',
  english: '',
  finnish: 'kul ta jää myr sky tuli ää met sä yö rau vesi',
  french: 'lum ière feu aci é oré nuit som bre gla ce éto',
  german: 'schw ert grü nlich feu er stahl üb nacht wal eis ung',
  greek: 'φω τια σκο νη χρυ σό θά λασ σα νύ χτα μέ',
  hungarian: 'tűz jég ezü st éj vas ár nyék kö vihar ösz kard',
  indonesian: 'api be si ma lam ang in peda ng emas hu jan',
  italian: 'luc e fuo co not te ac ciaio ghi om bra oro',
  japanese: 'ひか り やみ 剣 鋼 雪 かぜ の 炎 ほし 夜 金',
  koreana: '검 빛 어둠 강철 불꽃 바람 은 황금 밤 서리 별 의',
  latam: 'lla ma noch e ace ro niev oro som bra vien to',
  norwegian: 'ild stål nat t sky gge gull snø vin fje ll hav',
  polish: 'ogi eń stal no c zło ty śni eg cie ń wia mie',
  portuguese: 'fog o aç noi te our nev som bra ven est rela',
  romanian: 'fo c oț el noap te au r umb ră zăp vân',
  russian: 'огн ень ста ль ночь зол от снег тен ве тер меч',
  schinese: '火 钢 夜 金 雪 影 风 剑 星 光 之 龙',
  spanish: 'fue go ac ero noc he or niev e som bra vient',
  swedish: 'eld stå l nat t guld snö sku gga vin d sv',
  tchinese: '火 鋼 夜 金 雪 影 風 劍 星 光 之 龍',
  thai: 'ไฟ เหล็ก คืน ทอง หิมะ เงา ลม ดาบ ดาว แสง แห่ง มัง',
  turkish: 'ate ş çel ik ge ce alt ın ka r göl rüz',
  ukrainian: 'вог онь ста ль ніч зол ото сніг ті нь віт меч',
  vietnamese: 'lửa thép đêm vàng tuyết bóng gió kiếm sao sáng của rồng',
} as const;

export type Language = keyof typeof syllables;

/** All the platform's language words. */
export const languages = Object.keys(syllables) as readonly Language[];

export function isLanguage(word: string): word is Language {
  return Object.hasOwn(syllables, word);
}

const written = new Map<string, string>();
const writtenWordsMax = 50_000;

/** An English phrase as one language writes it; punctuation, digits and markup stay as they are. */
export function say(language: Language, phrase: string): string {
  if (language === 'english') {
    return phrase;
  }
  return phrase.replace(/<[^>]*>|\p{L}+/gu, (match) =>
    match.startsWith('<') ? match : wordIn(language, match),
  );
}

function wordIn(language: Language, word: string): string {
  const key = `${language} ${word}`;
  const known = written.get(key);
  if (known !== undefined) {
    return known;
  }
  if (written.size >= writtenWordsMax) {
    written.clear();
  }
  const spoken = spell(language, word);
  written.set(key, spoken);
  return spoken;
}

function spell(language: Language, word: string): string {
  const parts = syllables[language].split(' ');
  const hash = hashText(seed, `${language} ${word.toLowerCase()}`);
  const length = 1 + (Math.min(word.length, 9) >>> 1);
  let spoken = '';
  for (let index = 0; index < length; index += 1) {
    spoken += pick(parts, mix32(hash, index));
  }
  const capital = word.charAt(0) !== word.charAt(0).toLowerCase();
  return capital ? spoken.charAt(0).toUpperCase() + spoken.slice(1) : spoken;
}
