"""Synthetic personal-memory sentences in English and Simplified Chinese, written for this model (no data set behind them).

pairs(n, seed, words) yields (chinese, english) twins: templates filled from word lists that are parallel in both languages.
frames(n, seed, words, lang) puts dictionary words into everyday carrier sentences, so that rare vocabulary is seen in context.
gloss(text, lex) turns an English sentence into word-by-word Chinese with a dictionary: bad Chinese, but a natural mix of everyday
words, which is all that a bag-of-words student needs (the teacher reads the Chinese itself, not the English).
"""

import random
import re
from typing import Any


def _l(s):
    return [tuple(p.split("=")) for p in s.replace("\n", "|").split("|") if "=" in p]


L = {
    "rel": _l("""妈妈=mom|爸爸=dad|哥哥=older brother|弟弟=younger brother|姐姐=older sister|妹妹=younger sister|爷爷=grandfather|奶奶=grandmother|外婆=grandma
外公=grandpa|叔叔=uncle|阿姨=aunt|表弟=cousin|表姐=cousin|侄子=nephew|侄女=niece|女儿=daughter|儿子=son|妻子=wife|丈夫=husband|男朋友=boyfriend|女朋友=girlfriend
老板=boss|同事=coworker|上司=manager|下属=subordinate|室友=roommate|邻居=neighbor|同学=classmate|老师=teacher|导师=mentor|学生=student|客户=client|房东=landlord
教练=coach|闺蜜=best friend|好朋友=good friend|未婚妻=fiancee|岳父=father-in-law|婆婆=mother-in-law|双胞胎妹妹=twin sister|前男友=ex-boyfriend|合伙人=business partner"""),
    "zn": [
        (n, n)
        for n in """张伟 李娜 王芳 刘洋 陈静 杨帆 赵磊 黄丽 周杰 吴敏 徐浩 孙悦 马超 朱婷 胡军 郭晓 林涛 何雪 高峰 罗兰 郑凯 梁宇 谢晨 宋佳 唐欣 许诺 韩梅 冯刚
邓超 曹颖 彭博 曾静 肖阳 田甜 董洁 潘强 袁泉 蔡明 蒋欣 余飞 于洋 杜鹃 叶子 程亮 苏珊 魏来 吕文 丁宁 任远 沈冰 姚远 卢芳 姜涛 崔健 钟琳 谭晶 陆川 汪洋 范伟 金鑫 石磊 廖凡""".split()
    ],
    "en": [
        (n, n)
        for n in """Anna Ben Carlos Diana Ethan Fiona George Hannah Ivan Julia Kevin Laura Michael Nina Oscar Paula Quentin Rachel Samuel Tina Victor Wendy Xavier Yvonne Zoe
Alice Brian Chloe Daniel Emma Frank Grace Henry Isabel Jack Karen Leo Maria Nathan Olivia Peter Rosa Steve Teresa Umar Vera Walter Amir Priya Kenji Yuki Fatima Omar Lucia Marco Ingrid
Sven Elena Dmitri Aisha Raj Mei Chen Sofia Mateo Noah Liam Ava Mia Lily Ryan Jason Eric Linda Susan Robert David James Mary Patricia John Tom Jerry Bob Andrew Chris Joshua Melissa""".split()
    ],
    "job": _l("""医生=doctor|护士=nurse|牙医=dentist|兽医=veterinarian|药剂师=pharmacist|律师=lawyer|法官=judge|会计=accountant|程序员=programmer|软件工程师=software engineer
产品经理=product manager|设计师=designer|建筑师=architect|土木工程师=civil engineer|机械工程师=mechanical engineer|小学老师=primary school teacher|大学教授=university professor|记者=journalist
编辑=editor|作家=writer|翻译=translator|摄影师=photographer|画家=painter|音乐家=musician|演员=actor|导演=film director|舞蹈老师=dance teacher|厨师=chef|面包师=baker|咖啡师=barista
服务员=waiter|销售经理=sales manager|市场专员=marketing specialist|人力资源主管=human resources manager|秘书=secretary|银行职员=bank clerk|投资顾问=investment adviser|保险代理=insurance agent
房产中介=real estate agent|警察=police officer|消防员=firefighter|军人=soldier|飞行员=pilot|空姐=flight attendant|司机=driver|快递员=courier|外卖员=delivery rider|农民=farmer|渔民=fisherman
工厂工人=factory worker|电工=electrician|水管工=plumber|木匠=carpenter|裁缝=tailor|理发师=hairdresser|健身教练=fitness trainer|心理咨询师=therapist|科学家=scientist|生物学家=biologist
数据分析师=data analyst|公务员=civil servant|导游=tour guide|社工=social worker|图书管理员=librarian|保安=security guard|清洁工=cleaner|创业者=entrepreneur|研究员=researcher|物流经理=logistics manager"""),
    "city": _l("""北京=Beijing|上海=Shanghai|广州=Guangzhou|深圳=Shenzhen|杭州=Hangzhou|南京=Nanjing|苏州=Suzhou|成都=Chengdu|重庆=Chongqing|武汉=Wuhan|西安=Xi'an|天津=Tianjin|青岛=Qingdao|大连=Dalian
厦门=Xiamen|长沙=Changsha|昆明=Kunming|哈尔滨=Harbin|沈阳=Shenyang|郑州=Zhengzhou|香港=Hong Kong|台北=Taipei|澳门=Macau|东京=Tokyo|大阪=Osaka|京都=Kyoto|首尔=Seoul|曼谷=Bangkok
新加坡=Singapore|吉隆坡=Kuala Lumpur|悉尼=Sydney|墨尔本=Melbourne|伦敦=London|巴黎=Paris|柏林=Berlin|慕尼黑=Munich|罗马=Rome|米兰=Milan|马德里=Madrid|巴塞罗那=Barcelona|里斯本=Lisbon
阿姆斯特丹=Amsterdam|维也纳=Vienna|布拉格=Prague|莫斯科=Moscow|纽约=New York|波士顿=Boston|芝加哥=Chicago|西雅图=Seattle|旧金山=San Francisco|洛杉矶=Los Angeles|多伦多=Toronto
温哥华=Vancouver|墨西哥城=Mexico City|开罗=Cairo|迪拜=Dubai|孟买=Mumbai|内罗毕=Nairobi|山东=Shandong|四川=Sichuan|云南=Yunnan|湖南=Hunan|福建=Fujian|江苏=Jiangsu|浙江=Zhejiang
河北=Hebei|内蒙古=Inner Mongolia|西藏=Tibet|新疆=Xinjiang|海南=Hainan|日本=Japan|韩国=South Korea|泰国=Thailand|法国=France|德国=Germany|英国=England|意大利=Italy|加拿大=Canada|澳大利亚=Australia"""),
    "hobby": _l("""游泳=swimming|跑步=running|爬山=hiking|骑自行车=cycling|打篮球=playing basketball|踢足球=playing soccer|打羽毛球=playing badminton|打乒乓球=playing table tennis|打网球=playing tennis
滑雪=skiing|滑板=skateboarding|冲浪=surfing|潜水=diving|攀岩=rock climbing|瑜伽=yoga|健身=working out|跳舞=dancing|唱歌=singing|弹吉他=playing the guitar|弹钢琴=playing the piano
拉小提琴=playing the violin|打鼓=playing the drums|画画=drawing|书法=calligraphy|摄影=photography|写作=writing|写日记=keeping a diary|读书=reading|看电影=watching movies|看动漫=watching anime
追剧=watching TV series|听播客=listening to podcasts|听音乐=listening to music|玩游戏=playing video games|下棋=playing chess|下围棋=playing go|打扑克=playing cards|桌游=board games|拼图=jigsaw puzzles
做饭=cooking|烘焙=baking|品茶=tea tasting|种花=gardening|养鱼=keeping fish|钓鱼=fishing|露营=camping|旅行=traveling|观鸟=bird watching|看星星=stargazing|集邮=collecting stamps|陶艺=pottery
编织=knitting|手工=handicrafts|木工=woodworking|志愿活动=volunteering|学外语=learning languages|编程=coding|冥想=meditation|逛街=shopping|逛博物馆=visiting museums|遛狗=walking the dog|太极=tai chi"""),
    "food": _l("""饺子=dumplings|火锅=hot pot|麻辣烫=spicy soup|拉面=ramen|牛肉面=beef noodles|炒饭=fried rice|烤鸭=roast duck|红烧肉=braised pork|糖醋排骨=sweet and sour ribs|宫保鸡丁=kung pao chicken
麻婆豆腐=mapo tofu|西红柿炒鸡蛋=tomato and eggs|清蒸鱼=steamed fish|小龙虾=crayfish|螃蟹=crab|虾=shrimp|生蚝=oysters|寿司=sushi|披萨=pizza|汉堡=hamburgers|意大利面=pasta|牛排=steak|沙拉=salad
三明治=sandwiches|炸鸡=fried chicken|薯条=french fries|咖喱=curry|豆浆=soy milk|油条=fried dough sticks|包子=steamed buns|粽子=rice dumplings|月饼=mooncakes|粥=porridge|面包=bread|蛋糕=cake
巧克力=chocolate|冰淇淋=ice cream|饼干=cookies|苹果=apples|香蕉=bananas|草莓=strawberries|西瓜=watermelon|芒果=mangoes|葡萄=grapes|榴莲=durian|橙子=oranges|蘑菇=mushrooms|香菜=cilantro
大蒜=garlic|洋葱=onions|胡萝卜=carrots|土豆=potatoes|豆腐=tofu|鸡蛋=eggs|花生=peanuts|坚果=nuts|海鲜=seafood|羊肉=lamb|辣椒=chili|奶酪=cheese|酸奶=yogurt|蜂蜜=honey|甜点=desserts|素食=vegetarian food"""),
    "drink": _l(
        """咖啡=coffee|拿铁=latte|美式咖啡=americano|绿茶=green tea|红茶=black tea|乌龙茶=oolong tea|奶茶=milk tea|可乐=cola|果汁=juice|牛奶=milk|啤酒=beer|红酒=red wine|白酒=liquor|威士忌=whiskey|热水=hot water|柠檬水=lemonade|燕麦奶=oat milk"""
    ),
    "pet": _l(
        """猫=cat|狗=dog|金毛犬=golden retriever|柯基=corgi|哈士奇=husky|橘猫=orange cat|布偶猫=ragdoll cat|兔子=rabbit|仓鼠=hamster|鹦鹉=parrot|乌龟=turtle|金鱼=goldfish|蜥蜴=lizard|小马=pony"""
    ),
    "thing": _l("""手机=phone|笔记本电脑=laptop|平板电脑=tablet|耳机=headphones|相机=camera|手表=watch|自行车=bicycle|电动车=electric scooter|汽车=car|钱包=wallet|钥匙=keys|雨伞=umbrella|背包=backpack|行李箱=suitcase
眼镜=glasses|外套=jacket|毛衣=sweater|连衣裙=dress|运动鞋=sneakers|围巾=scarf|帽子=hat|项链=necklace|戒指=ring|香水=perfume|口红=lipstick|书=book|词典=dictionary|日记本=diary|钢笔=pen|地图=map
台灯=desk lamp|沙发=sofa|床垫=mattress|冰箱=refrigerator|洗衣机=washing machine|空调=air conditioner|微波炉=microwave|电饭锅=rice cooker|咖啡机=coffee machine|电视=television|音箱=speaker|吉他=guitar
钢琴=piano|帐篷=tent|望远镜=telescope|玩具=toy|积木=building blocks|礼物=gift|贺卡=greeting card|鲜花=flowers|护照=passport|身份证=ID card|银行卡=bank card|机票=plane ticket|火车票=train ticket
电影票=movie ticket|合同=contract|简历=resume|发票=invoice|快递=package|药=medicine|口罩=mask|体温计=thermometer|显示器=monitor|键盘=keyboard|硬盘=hard drive|打印机=printer|充电器=charger|游戏机=game console"""),
    "place": _l("""公司=office|学校=school|图书馆=library|医院=hospital|超市=supermarket|菜市场=vegetable market|公园=park|健身房=gym|游泳馆=swimming pool|电影院=cinema|咖啡馆=cafe|餐厅=restaurant|酒吧=bar|书店=bookstore
商场=shopping mall|银行=bank|邮局=post office|机场=airport|火车站=train station|地铁站=subway station|停车场=parking lot|酒店=hotel|民宿=guesthouse|海边=seaside|山里=mountains|湖边=lake|农场=farm
动物园=zoo|博物馆=museum|美术馆=art gallery|音乐厅=concert hall|体育馆=stadium|游乐园=amusement park|教堂=church|寺庙=temple|幼儿园=kindergarten|大学=university|实验室=laboratory|工厂=factory
会议室=meeting room|客厅=living room|卧室=bedroom|厨房=kitchen|阳台=balcony|书房=study|花园=garden|老家=hometown|郊区=suburbs|市中心=city center|宠物店=pet shop|药店=pharmacy|派出所=police station"""),
    "event": _l("""生日聚会=birthday party|婚礼=wedding|葬礼=funeral|毕业典礼=graduation ceremony|同学聚会=class reunion|家庭聚餐=family dinner|年会=annual party|团建=team building|面试=job interview|考试=exam
期末考试=final exam|演讲比赛=speech contest|马拉松=marathon|篮球赛=basketball game|音乐会=concert|画展=art exhibition|读书会=book club|志愿者活动=volunteer event|产品发布会=product launch
项目会议=project meeting|行业大会=industry conference|培训课程=training course|研讨会=seminar|家长会=parent-teacher meeting|搬家=moving house|出差=business trip|蜜月旅行=honeymoon|露营活动=camping trip
体检=medical checkup|手术=surgery|牙医预约=dentist appointment|相亲=blind date|周年纪念=anniversary|春节=Spring Festival|中秋节=Mid-Autumn Festival|圣诞节=Christmas|感恩节=Thanksgiving
新年=New Year|支持小组聚会=support group meeting|慈善义卖=charity sale|烧烤=barbecue|野餐=picnic|技术讲座=tech talk|黑客松=hackathon|辩论赛=debate|话剧演出=play"""),
    "feel": _l("""开心=happy|难过=sad|紧张=nervous|焦虑=anxious|兴奋=excited|疲惫=tired|孤独=lonely|自豪=proud|失望=disappointed|生气=angry|委屈=wronged|感动=moved|后悔=regretful|害怕=scared|放松=relaxed
满足=satisfied|无聊=bored|尴尬=embarrassed|嫉妒=jealous|感激=grateful|压力很大=stressed|充满希望=hopeful|沮丧=depressed|惊讶=surprised|困惑=confused|平静=calm|怀念=nostalgic|内疚=guilty"""),
    "ill": _l("""感冒=a cold|发烧=a fever|咳嗽=a cough|头痛=headaches|胃痛=stomach pain|失眠=insomnia|过敏=an allergy|花生过敏=a peanut allergy|乳糖不耐受=lactose intolerance|高血压=high blood pressure|糖尿病=diabetes
哮喘=asthma|近视=nearsightedness|腰痛=back pain|膝盖受伤=a knee injury|骨折=a broken bone|抑郁症=depression|贫血=anemia|牙痛=toothache|肺炎=pneumonia|心脏病=heart disease|关节炎=arthritis|皮疹=a rash"""),
    "tech": _l("""数据库=database|缓存=cache|前端=front end|后端=back end|接口=API|微服务=microservice|部署流程=deployment pipeline|单元测试=unit tests|日志系统=logging system|登录模块=login module|支付功能=payment feature
搜索引擎=search engine|推荐算法=recommendation algorithm|机器学习模型=machine learning model|向量检索=vector search|消息队列=message queue|配置文件=config file|命令行工具=command line tool|代码仓库=code repository
移动应用=mobile app|浏览器插件=browser extension|网站=website|服务器=server|防火墙=firewall|域名=domain name|证书=certificate|备份脚本=backup script|定时任务=cron job|容器镜像=container image|监控面板=monitoring dashboard
权限系统=permission system|数据管道=data pipeline|编译器=compiler|依赖包=dependency|补丁=patch|内存泄漏=memory leak|死锁=deadlock|性能问题=performance problem|安全漏洞=security vulnerability|数据迁移=data migration
PostgreSQL=PostgreSQL|MySQL=MySQL|Redis=Redis|SQLite=SQLite|Docker=Docker|Kubernetes=Kubernetes|Python=Python|Rust=Rust|TypeScript=TypeScript|React=React|Vue=Vue|Django=Django|FastAPI=FastAPI|Git=Git|GitHub=GitHub|Linux=Linux|nginx=nginx|Kafka=Kafka"""),
    "subj": _l("""数学=math|物理=physics|化学=chemistry|生物=biology|历史=history|地理=geography|语文=Chinese|英语=English|日语=Japanese|法语=French|西班牙语=Spanish|计算机=computer science|经济学=economics|心理学=psychology
哲学=philosophy|法律=law|医学=medicine|建筑=architecture|音乐=music|美术=art|新闻学=journalism|金融=finance|市场营销=marketing|机械工程=mechanical engineering|教育学=education|统计学=statistics|天文学=astronomy|环境科学=environmental science"""),
    "genre": _l("""科幻=science fiction|悬疑=mystery|爱情=romance|喜剧=comedy|恐怖=horror|纪录片=documentary|武侠=martial arts|历史=history|动作=action|动画=animation|传记=biography|诗歌=poetry|奇幻=fantasy
古典音乐=classical music|爵士乐=jazz|摇滚=rock|流行音乐=pop music|民谣=folk music|嘻哈=hip hop|电子音乐=electronic music|京剧=Peking opera|漫画=comics|推理小说=detective novels"""),
    "pers": _l("""外向=outgoing|内向=introverted|幽默=funny|温柔=gentle|严格=strict|耐心=patient|粗心=careless|细心=careful|勤奋=hardworking|懒=lazy|大方=generous|小气=stingy|诚实=honest|固执=stubborn|乐观=optimistic
悲观=pessimistic|独立=independent|害羞=shy|善良=kind|聪明=smart|有责任感=responsible|有创造力=creative|爱干净=tidy|急躁=impatient|可靠=reliable|健忘=forgetful|好奇=curious|勇敢=brave"""),
    "goal": _l("""学好英语=learn English well|减肥=lose weight|戒烟=quit smoking|早睡早起=go to bed early and get up early|存钱买房=save money for a house|考驾照=get a driving license|考研=apply for graduate school|出国留学=study abroad
换工作=change jobs|创业=start a business|写一本小说=write a novel|跑完马拉松=finish a marathon|学会做饭=learn to cook|学游泳=learn to swim|升职=get promoted|多陪家人=spend more time with family|环游世界=travel around the world
领养一个孩子=adopt a child|养一只狗=get a dog|装修房子=renovate the house|还清贷款=pay off the loan|学弹吉他=learn the guitar|少看手机=use the phone less|控制情绪=control emotions|提高效率=be more productive
参加志愿服务=do volunteer work|开一家咖啡店=open a coffee shop|学习投资=learn about investing|通过资格考试=pass the certification exam|克服社交恐惧=overcome social anxiety"""),
    "when": _l("""昨天=yesterday|今天=today|明天=tomorrow|后天=the day after tomorrow|前天=the day before yesterday|上周=last week|这周末=this weekend|下周=next week|上个月=last month|下个月=next month|去年=last year|今年=this year
明年=next year|今天早上=this morning|昨晚=last night|中午=at noon|下午三点=at three in the afternoon|晚上八点=at eight in the evening|周一=on Monday|周二=on Tuesday|周三=on Wednesday|周四=on Thursday|周五=on Friday
周六=on Saturday|周日=on Sunday|春天=in spring|夏天=in summer|秋天=in autumn|冬天=in winter|暑假=during the summer vacation|寒假=during the winter break|国庆节=on National Day|三天前=three days ago|两周后=in two weeks
五年前=five years ago|十年后=ten years from now|小时候=in childhood|大学时=in college|刚才=just now|最近=recently"""),
    "color": _l(
        """红色=red|蓝色=blue|绿色=green|黄色=yellow|黑色=black|白色=white|紫色=purple|粉色=pink|灰色=gray|橙色=orange|棕色=brown"""
    ),
    "weather": _l(
        """下雨=raining|下雪=snowing|晴天=sunny|刮风=windy|台风=a typhoon|很热=very hot|很冷=very cold|雾霾=smoggy|潮湿=humid|多云=cloudy"""
    ),
    "month": _l(
        "一月=January|二月=February|三月=March|四月=April|五月=May|六月=June|七月=July|八月=August|九月=September|十月=October|十一月=November|十二月=December"
    ),
}

# "zh  ##  en"; {x} fills both sides with the same entry, {x2} is a second draw from the same list
T = [
    tuple(p.strip() for p in t.split("##"))
    for t in """
我{rel}叫{n}，是一名{job}。## My {rel} is called {n} and works as a {job}.
我{rel}的名字是{n}，住在{city}。## My {rel}'s name is {n}, living in {city}.
{n}是{city}人，在{city2}工作。## {n} is from {city} and works in {city2}.
{n}今年{age}岁，职业是{job}。## {n} is {age} years old and works as a {job}.
我的{rel}今年{age}岁了。## My {rel} is {age} years old now.
{n}的生日是{month}{day}号。## {n}'s birthday is {month} {day}.
我{rel}的生日在{month}{day}日，别忘了准备{thing}。## My {rel}'s birthday is on {month} {day}; remember to get a {thing}.
{n}的电话号码是{phone}。## {n}'s phone number is {phone}.
{n}的邮箱地址是{mail}。## {n}'s email address is {mail}.
{n}身高{cm}厘米，性格{pers}。## {n} is {cm} cm tall and quite {pers}.
我{rel}是个{pers}的人，喜欢{hobby}。## My {rel} is a {pers} person who likes {hobby}.
{n}毕业于{city}的一所大学，专业是{subj}。## {n} graduated from a university in {city} with a degree in {subj}.
{n}的最高学历是硕士，学的是{subj}。## {n} has a master's degree in {subj}.
我在大学里学{subj}，现在是{job}。## I studied {subj} in college and now I am a {job}.
{n}在一家公司当{job}，已经{num}年了。## {n} has been a {job} at a company for {num} years.
我{rel}在{place}工作。## My {rel} works at the {place}.
我喜欢{hobby}，也喜欢{hobby2}。## I like {hobby} and {hobby2}.
我最喜欢的运动是{hobby}。## My favorite pastime is {hobby}.
我{rel}最大的爱好是{hobby}。## My {rel}'s biggest hobby is {hobby}.
{n}周末常去{place}{hobby}。## {n} often goes to the {place} for {hobby} on weekends.
你平时喜欢{hobby}吗？## Do you usually like {hobby}?
我以前喜欢{hobby}，现在更喜欢{hobby2}。## I used to enjoy {hobby}, but now I prefer {hobby2}.
我讨厌{hobby}，觉得很无聊。## I hate {hobby}; it is boring.
我最喜欢吃{food}，不喜欢{food2}。## I love eating {food} but not {food2}.
{n}不吃{food}，因为会过敏。## {n} cannot eat {food} because of an allergy.
我{rel}对{food}过敏。## My {rel} is allergic to {food}.
早餐我一般吃{food}，喝{drink}。## For breakfast I usually have {food} and drink {drink}.
我每天早上喝{drink}，不加糖。## I drink {drink} every morning without sugar.
晚饭我们做了{food}和{food2}。## We cooked {food} and {food2} for dinner.
{when}我和{n}去吃了{food}。## {when} I went out for {food} with {n}.
这家餐厅的{food}很好吃，但是太贵了。## The {food} at this restaurant is delicious but too expensive.
{n}推荐我去{city}吃{food}。## {n} recommended that I try the {food} in {city}.
我是素食者，不吃肉。## I am a vegetarian and do not eat meat.
我养了一只{pet}，叫{nick}。## I have a {pet} named {nick}.
{n}家的{pet}叫{nick}，已经{num}岁了。## {n}'s {pet} is called {nick} and is {num} years old.
我的{pet}生病了，{when}要去看兽医。## My {pet} is sick and has to see the vet {when}.
{when}我在{place}买了一个{thing}。## I bought a {thing} at the {place} {when}.
我的{thing}是{color}的。## My {thing} is {color}.
我把{thing}放在{place}了。## I left the {thing} in the {place}.
我的{thing}丢了，可能忘在{place}。## I lost my {thing}, maybe I left it at the {place}.
{n}送了我一个{color}的{thing}。## {n} gave me a {color} {thing}.
{rel}送给我的{thing}坏了，需要修理。## The {thing} my {rel} gave me is broken and needs repair.
这个{thing}花了{money}元，质量很好。## This {thing} cost {money} yuan and the quality is good.
新买的{thing}太差了，我想退货。## The new {thing} is terrible and I want to return it.
提醒我{when}带上{thing}。## Remind me to bring the {thing} {when}.
{when}我要参加{event}。## I will attend a {event} {when}.
{n}的{event}在{month}{day}号举行。## {n}'s {event} takes place on {month} {day}.
{event}的地点在{city}的{place}。## The {event} will be held at a {place} in {city}.
{event}有{num}个人参加，主题是{subj}。## {num} people join the {event}, and the topic is {subj}.
{when}的{event}取消了，因为{weather}。## The {event} {when} was canceled because it was {weather}.
我和{rel}一起去了{event}，感觉很{feel}。## I went to the {event} with my {rel} and felt {feel}.
{event}让我感到{feel}。## The {event} made me feel {feel}.
你还记得{when}的{event}吗？## Do you remember the {event} {when}?
会议改到{when}，在{place}开。## The meeting was moved to {when} at the {place}.
我们打算{when}去{city}旅行。## We plan to travel to {city} {when}.
{when}我和{rel}去了{city}。## I went to {city} with my {rel} {when}.
我{when}从{city}搬到了{city2}。## I moved from {city} to {city2} {when}.
{n}{when}要去{city}出差。## {n} is going to {city} on a business trip {when}.
去{city}的{thing}已经订好了。## The {thing} for {city} has been booked.
{city}最近{weather}，记得带{thing}。## It has been {weather} in {city} lately, so take a {thing}.
我的老家在{city}，那里的{food}很有名。## My hometown is {city}, which is famous for {food}.
我住在{city}，离{place}很近。## I live in {city}, close to the {place}.
我的梦想是{goal}。## My dream is to {goal}.
今年我的目标是{goal}。## My goal this year is to {goal}.
{n}一直想{goal}，但是没有时间。## {n} has always wanted to {goal} but has no time.
怎样才能{goal}？## How can I {goal}?
我决定{goal}，{rel}很支持我。## I decided to {goal}, and my {rel} supports me.
最近我有点{feel}，不知道怎么办。## Lately I feel a bit {feel} and do not know what to do.
和{rel}吵架以后，我很{feel}。## After arguing with my {rel}, I felt {feel}.
听到这个消息，{n}非常{feel}。## {n} was very {feel} to hear the news.
你为什么这么{feel}？## Why are you so {feel}?
工作压力太大，我经常{feel}。## Work is so stressful that I often feel {feel}.
{n}得了{ill}，在{place}休息。## {n} has {ill} and is resting at the {place}.
我{rel}有{ill}，每天要吃药。## My {rel} has {ill} and takes medicine every day.
医生说我有{ill}，不能吃{food}。## The doctor said I have {ill} and cannot eat {food}.
我从小就有{ill}。## I have had {ill} since childhood.
我在看一部{genre}的书，很精彩。## I am reading a {genre} book and it is great.
{n}喜欢{genre}，不喜欢{genre2}。## {n} likes {genre} but dislikes {genre2}.
{when}我们看了一部{genre}电影。## We watched a {genre} movie {when}.
有没有好的{genre}推荐？## Can you recommend some good {genre}?
我{rel}在学{subj}，准备考试。## My {rel} is studying {subj} for an exam.
我的{subj}成绩不好，需要补习。## My {subj} grades are poor and I need tutoring.
{n}教我{subj}，很有耐心。## {n} teaches me {subj} very patiently.
我们决定用{tech}代替{tech2}。## We decided to use {tech} instead of {tech2}.
{tech}出了问题，{n}正在修复。## There is a problem with the {tech}; {n} is fixing it.
{when}上线新的{tech}。## The new {tech} goes live {when}.
这个项目的{tech}由{n}负责。## {n} is responsible for the {tech} in this project.
不要在生产环境直接修改{tech}。## Never modify the {tech} directly in production.
{tech}和{tech2}哪个更好？## Which is better, {tech} or {tech2}?
我们团队的代码规范要求写{tech}。## Our team's coding style requires the {tech}.
上次{tech}故障的原因是{tech2}。## The cause of the last {tech} outage was the {tech2}.
用户偏好：回答要简短，使用{tech}。## User preference: keep answers short and use {tech}.
这个错误和{tech}有关，重启后恢复了。## The bug was related to the {tech} and went away after a restart.
请把{tech}升级到最新版本。## Please upgrade the {tech} to the latest version.
我在学{tech}，觉得有点难。## I am learning {tech} and find it a bit hard.
谁负责{tech}？## Who is in charge of the {tech}?
{n}是做什么工作的？## What does {n} do for a living?
{n}住在哪里？## Where does {n} live?
{n}的生日是什么时候？## When is {n}'s birthday?
我{rel}喜欢吃什么？## What does my {rel} like to eat?
我{rel}的爱好是什么？## What is my {rel}'s hobby?
{n}的性格怎么样？## What is {n}'s personality like?
{n}什么时候去{city}？## When is {n} going to {city}?
{event}在哪里举行？## Where is the {event} held?
{n}为什么没来{event}？## Why did {n} not come to the {event}?
我{when}买了什么？## What did I buy {when}?
{n}养了什么宠物？## What pet does {n} have?
我的{thing}在哪里？## Where is my {thing}?
谁送我的{thing}？## Who gave me the {thing}?
我上次去{place}是什么时候？## When did I last go to the {place}?
他换工作了，现在在{city}当{job}。## He changed jobs and is now a {job} in {city}.
她不再是{job}了，去年辞职了。## She is no longer a {job}; she quit last year.
{n}和{n2}是在{event}认识的。## {n} and {n2} met at a {event}.
{n}和{n2}{when}结婚了。## {n} and {n2} got married {when}.
{n}和{n2}分手了，心情很{feel}。## {n} broke up with {n2} and feels {feel}.
{n}有两个孩子，一个在学{subj}，一个喜欢{hobby}。## {n} has two kids, one studies {subj} and the other likes {hobby}.
孩子在{place}玩得很{feel}。## The child had a {feel} time at the {place}.
我每天花{num}个小时{hobby}。## I spend {num} hours a day on {hobby}.
我每周去{num}次{place}。## I go to the {place} {num} times a week.
房租每个月{money}元，包括水电。## The rent is {money} yuan a month including utilities.
密码请不要保存在{thing}里。## Please do not store passwords in the {thing}.
明天早上七点叫我起床，我要去{place}。## Wake me up at seven tomorrow, I have to go to the {place}.
今天{weather}，我们没有去{place}。## It was {weather} today, so we did not go to the {place}.
我们在{place}聊了很久，谈到了{goal}。## We chatted for a long time at the {place} about how to {goal}.
{n}鼓励我{goal}，我很感激。## {n} encouraged me to {goal} and I am grateful.
谢谢你一直陪着我。## Thank you for always being there for me.
我不想再谈{subj}了，聊聊{hobby}吧。## I do not want to talk about {subj} anymore, let's talk about {hobby}.
""".strip().split("\n")
]
NICK = "豆豆=Bean|小白=Snow|旺财=Lucky|咪咪=Mimi|毛毛=Fluffy|可可=Coco|团子=Mochi|黑豆=Pepper|球球=Bubbles|奥利奥=Oreo"
FZ = [
    "我最近很喜欢{a}。",
    "你知道{a}和{b}吗？",
    "他说{a}跟{b}有关系。",
    "昨天我们谈到了{a}、{b}和{c}。",
    "{a}对我来说很重要。",
    "关于{a}的{b}",
    "她一直在想{a}的事。",
    "没有{a}就没有{b}。",
    "请帮我记住：{a}，{b}。",
    "这里的{a}比{b}好。",
    "我第一次{a}的时候，想到了{b}。",
    "{a}，{b}，{c}",
    "因为{a}，所以{b}。",
    "我的朋友总是{a}，我却{b}。",
    "什么是{a}？",
    "{a}{b}",
    "我们应该{a}还是{b}？",
    "那天{a}，我们{b}，后来{c}。",
]
FE = [
    "I really like {a} lately.",
    "Do you know about {a} and {b}?",
    "He said {a} has to do with {b}.",
    "Yesterday we talked about {a}, {b} and {c}.",
    "{a} is very important to me.",
    "the {b} of {a}",
    "She keeps thinking about {a}.",
    "No {b} without {a}.",
    "Please remember: {a}, {b}.",
    "The {a} here is better than the {b}.",
    "{a}, {b}, {c}",
    "Because of {a} there was {b}.",
    "What is {a}?",
    "{a} {b}",
    "Should we choose {a} or {b}?",
]


def pairs(n, seed=7):
    R = random.Random(seed)
    out: dict[str, str] = {}
    nick = _l(NICK)
    while len(out) < n:
        z, e = R.choice(T)
        d = {k: R.choice(v) for k, v in L.items()}
        d.update({k + "2": R.choice(v) for k, v in L.items()})
        a, b = R.sample(L["en"], 2)
        c = R.sample(L["zn"], 2) if R.random() < 0.6 else [a, b]
        d["n"], d["n2"] = (c[0][0], a[0]), (c[1][0], b[0])  # the English side always has Latin names
        num = {
            "age": R.randint(3, 90),
            "day": R.randint(1, 28),
            "num": R.randint(2, 30),
            "cm": R.randint(150, 195),
            "money": R.randint(1, 99) * 50,
            "phone": f"1{R.randint(30, 99)}{R.randint(10000000, 99999999)}",
            "mail": f"user{R.randint(10, 9999)}@example.com",
        }
        d.update({k: (str(v), str(v)) for k, v in num.items()})
        d["nick"] = R.choice(nick)
        a, b = z.format(**{k: v[0] for k, v in d.items()}), e.format(**{k: v[1] for k, v in d.items()})
        out.setdefault(a, b[0].upper() + b[1:])
    return list(out.items())


def frames(n, seed, words, lang):
    """n carrier sentences around words (most frequent first); every word comes up about equally often."""
    R, F = random.Random(seed), (FZ if lang == "zh" else FE)
    out: list[str] = []
    q: list[str] = []
    while len(out) < n:
        if len(q) < 3:
            q = list(words)
            R.shuffle(q)
        f = R.choice(F)
        k = [x for x in "abc" if "{" + x + "}" in f]
        out.append(f.format(**{x: q.pop() for x in k}))
    return out


# -------------------------------------------------------------------------------------------- word-by-word Chinese of English text
FUNC = dict(
    p.split("=")
    for p in """i=我 you=你 he=他 she=她 it=它 we=我们 they=他们 me=我 him=他 her=她 us=我们 them=他们 my=我的 your=你的 his=他的 its=它的 our=我们的 their=他们的 mine=我的 yours=你的
this=这 that=那 these=这些 those=那些 there=那里 here=这里 am=是 is=是 are=是 was=是 were=是 be=是 been=是 being=是 a= an= the= to= of=的 in=在 on=在 at=在 for=为了 with=和 from=从 by=被 about=关于 as=作为
and=和 or=或者 but=但是 so=所以 because=因为 if=如果 when=的时候 while=的时候 then=然后 than=比 not=不 no=不 don't=不 dont=不 doesn't=不 didn't=没有 isn't=不是 aren't=不是 wasn't=不是 can't=不能 won't=不会 haven't=没有
do= does= did= have=有 has=有 had=有 can=可以 could=可以 will=会 would=会 should=应该 must=必须 may=可能 might=可能 what=什么 who=谁 where=哪里 why=为什么 how=怎么 which=哪个 much=多 many=很多 very=很 really=真的 too=太
also=也 just=就 only=只 still=还 already=已经 again=再 never=从来不 always=总是 often=经常 sometimes=有时候 now=现在 today=今天 tomorrow=明天 yesterday=昨天 all=都 some=一些 any=任何 every=每 more=更多 most=最 other=其他
up= out= off= down= over= into=进 after=以后 before=以前 until=直到 since=自从 like=喜欢 love=爱 want=想要 know=知道 think=觉得 go=去 going=去 went=去了 come=来 came=来了 get=得到 got=得到了 make=做 made=做了 see=看 saw=看到
say=说 said=说 tell=告诉 told=告诉 take=拿 took=拿 give=给 gave=给 good=好 great=很好 nice=不错 bad=坏 new=新 old=老 big=大 small=小 one=一个 two=两 three=三 four=四 five=五 people=人们 thing=东西 things=事情 time=时间
day=天 year=年 years=年 week=星期 month=月 work=工作 working=工作 job=工作 home=家 house=房子 school=学校 yes=是的 yeah=是啊 ok=好的 okay=好的 hi=你好 hello=你好 thanks=谢谢 thank=谢谢 sorry=对不起 please=请 well=好 oh=哦
i'm=我是 you're=你是 it's=它是 that's=那是 what's=什么是 he's=他是 she's=她是 they're=他们是 we're=我们是 i've=我 i'd=我 i'll=我会 you've=你 let's=让我们 lot=很多 lots=很多 kind=种 little=小 friend=朋友 friends=朋友 name=名字
play=玩 playing=玩 played=玩 watch=看 watching=看 eat=吃 eating=吃 food=食物 music=音乐 movie=电影 movies=电影 book=书 books=书 game=游戏 games=游戏 live=住 living=住 feel=感觉 feeling=感觉 need=需要 try=试 use=用 find=找 look=看
talk=谈 ask=问 help=帮助 start=开始 read=读 reading=读 favorite=最喜欢的 best=最好的 better=更好 fun=有趣 interesting=有意思 happy=高兴 sure=当然 maybe=也许 probably=可能 actually=其实 something=什么 anything=什么 someone=有人
class=课 classes=课 guy=家伙 guys=大家 mom=妈妈 dad=爸爸 family=家庭 kids=孩子 kid=孩子 girl=女孩 boy=男孩 man=男人 woman=女人 dog=狗 cat=猫 car=车 money=钱 life=生活 way=方法 right=对 long=长 last=上次 next=下次 first=第一 around=周围
back=回 through=通过 own=自己的 same=同样的 different=不同的 even=甚至 though=虽然 though=不过 pretty=很 hard=难 easy=容易 ever=曾经 yet=还没 mean=意思 guess=猜 hope=希望 wish=希望 agree=同意 study=学习 studying=学习 major=专业""".split()
)


def lexicon(cedict, freq):
    """English word or two-word phrase -> most common Chinese word with that gloss."""
    best: dict[str, Any] = {}
    for w, gloss_list in cedict:
        for i, g in enumerate(gloss_list.lower().split(";")):
            g = re.sub(r"^ *(to be|to|a|an|the) ", "", g.strip()).strip()
            score = freq[w] / (1 + i) ** 2 * (3 if len(w) > 1 else 1)
            if re.fullmatch(r"[a-z]+( [a-z]+)?", g) and score > best.get(g, (0,))[0]:
                best[g] = (score, w)
    return {k: w for k, (_, w) in best.items()}


def _stems(t):
    yield t
    for a, b in (
        ("ies", "y"),
        ("es", ""),
        ("s", ""),
        ("ied", "y"),
        ("ed", ""),
        ("ed", "e"),
        ("ing", ""),
        ("ing", "e"),
        ("er", ""),
        ("ly", ""),
        ("n't", ""),
    ):
        if t.endswith(a) and len(t) > len(a) + 2:
            u = t[: -len(a)] + b
            yield u
            if a in ("ed", "ing") and len(u) > 2 and u[-1] == u[-2]:
                yield u[:-1]


def gloss(text, lex):
    """Word-by-word Chinese of an English sentence; None if over 15% of the words are unknown or it is short."""
    toks, out, miss, i, n = re.findall(r"[a-z']+|[0-9]+|[.,!?]", text.lower().replace("\u2019", "'")), [], 0, 0, 0
    while i < len(toks):
        t = toks[i]
        i += 1
        if t in ".,!?":
            out.append({".": "。", ",": "，", "!": "！", "?": "？"}[t])
            continue
        n += 1
        if i < len(toks) and t not in FUNC and t + " " + toks[i] in lex:
            out.append(lex[t + " " + toks[i]])
            i += 1
            continue
        hit = next((FUNC.get(u, lex.get(u)) for u in _stems(t) if u in FUNC or u in lex), t if t.isdigit() else None)
        miss += hit is None
        out.append(hit or "")
    zh = "".join(out)
    return zh if n >= 4 and miss <= 0.15 * n and 6 <= len(zh) <= 90 else None
