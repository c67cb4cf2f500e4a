import { type People, type Zone } from './places.js';

interface Names {
  readonly female: readonly string[];
  readonly male: readonly string[];
  readonly last: readonly string[];
}

const names = (female: string, male: string, last: string): Names => ({
  female: female.split(' '),
  male: male.split(' '),
  last: last.split(' '),
});

/** Common given and family names of each people. */
export const NAMES: Readonly<Record<People, Names>> = {
  hausa: names(
    'Aisha Amina Asabe Binta Fatima Hadiza Halima Hauwa Jamila Ladi Maryam Rabi Rahmatu Safiya Salamatu Zainab',
    'Abdullahi Abubakar Aliyu Bello Danladi Garba Haruna Ibrahim Isah Kabiru Lawal Musa Sani Shehu Suleiman Usman Yakubu',
    'Abdullahi Adamu Aliyu Bala Bello Dahiru Danjuma Garba Gambo Ibrahim Idris Lawal Maikudi Mohammed Sani Tanko Umar Yusuf',
  ),
  kanuri: names(
    'Aisa Amina Bintu Falmata Fanna Hajja Kaltum Maimuna Yagana Yakaka Zara',
    'Ali Bukar Bulama Goni Grema Kachalla Kyari Modu Mustapha Umara Zanna',
    'Abba Bukar Bulama Goni Grema Kachalla Kolo Kyari Lawan Modu Shettima Zanna',
  ),
  tiv: names(
    'Doosuur Dooshima Erdoo Hembadoon Iveren Kpadoo Mbakeren Mwuese Nguumbur Ngunan Seember Wandoo',
    'Aondoakaa Aondona Iorfa Iorliam Msughter Orkuma Saater Sesugh Terfa Terhemba Terkimbi Tersoo Terver',
    'Abah Aliegba Anongo Gbenda Igbawua Iorkyaa Kpamor Nyitse Orban Shima Tarka Torkula Tyav Uchi',
  ),
  yoruba: names(
    'Abosede Adunni Bolanle Bukola Ebun Folake Funmilayo Iyabo Kehinde Modupe Omolara Ronke Sade Taiwo Titilayo Yetunde',
    'Adebayo Adekunle Adewale Akinola Ayodele Babatunde Bamidele Gbenga Kayode Kolawole Ola Olumide Rotimi Segun Tunde Wale',
    'Adebisi Adeleke Adeyemi Afolabi Ajayi Akande Alabi Ayinde Balogun Fashola Ogunleye Ojo Okunade Olaniyi Oyelaran Salako',
  ),
  igbo: names(
    'Adaeze Adanna Amara Chiamaka Chidinma Chinyere Ebere Ifeoma Ijeoma Ngozi Nkechi Nneka Nwakaego Obioma Uchenna',
    'Chibuzo Chidi Chijioke Chukwuemeka Ejike Emeka Ifeanyi Ikenna Kelechi Nnamdi Obinna Okechukwu Okwudili Onyekachi Uche',
    'Agu Anyanwu Chukwu Eze Ezeani Igwe Mbah Nnadi Nwachukwu Nwankwo Nwosu Obi Okafor Okeke Okonkwo Onuoha Ugwu',
  ),
  'niger-delta': names(
    'Alaere Arit Blessing Ebiere Edidiong Efe Ekaette Ese Idara Ini Isioma Itohan Mfon Nsikak Omotejowho Tonye',
    'Akpan Aniefiok Bassey Ebitimi Edet Efetobore Ekong Etim Ibinabo Idongesit Osaro Osagie Otobong Oyintari Preye Tamuno',
    'Akpabio Amadi Bassey Briggs Ebong Edem Effiong Ekpo Etuk Ibori Idahosa Igbinedion Inyang Okon Omoregie Tobor Udoh Wokoma',
  ),
};

/** Crops of each agro-ecological zone. */
export const CROPS: Readonly<Record<Zone, readonly string[]>> = {
  north: ['sorghum', 'millet', 'groundnut', 'cowpea', 'maize', 'sesame', 'onion', 'tomato', 'wheat', 'cotton'],
  middle: ['yam', 'maize', 'rice', 'soybean', 'cassava', 'sorghum', 'groundnut', 'sesame', 'irish potato', 'melon'],
  south: ['cassava', 'oil palm', 'cocoa', 'plantain', 'yam', 'maize', 'cocoyam', 'rubber', 'okra', 'pineapple'],
};

export const LIVESTOCK: Readonly<Record<Zone, readonly string[]>> = {
  north: ['cattle', 'goats', 'sheep', 'poultry', 'donkeys'],
  middle: ['goats', 'poultry', 'pigs', 'sheep', 'cattle'],
  south: ['poultry', 'goats', 'pigs', 'snails', 'fish'],
};
